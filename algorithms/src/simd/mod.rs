//! Lookups with the vectors of the processor at hand.
//!
//! What a processor offers is asked once, when a program runs. Everything here has a portable twin
//! that gives the same answers, and the tests hold each form against it. `unsafe` is needed to
//! call a function that is compiled for more than every processor has, and to load vectors.

pub(crate) mod bids;
pub(crate) mod jumps;
pub(crate) mod lanes;
pub(crate) mod mixes;
pub(crate) mod places;
pub(crate) mod scores;
pub(crate) mod scores_32;
pub(crate) mod walks;

use std::sync::atomic::{AtomicU8, Ordering};

/// A kind of vectors. One exists only where the processor has it, or the portable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Kind {
    Portable = 1,
    Avx2 = 2,
    Avx512 = 3,
}

impl Kind {
    /// Whether this processor has such vectors.
    fn is_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            let avx2 = has!("avx2") && has!("bmi1") && has!("bmi2");
            let wide = has!("avx512f")
                && has!("avx512bw")
                && has!("avx512dq")
                && has!("avx512vl")
                && has!("popcnt");
            match self {
                Self::Portable => true,
                Self::Avx2 => avx2,
                Self::Avx512 => avx2 && wide,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }
}

/// The level in use; 0 until it is asked for.
static IN_USE: AtomicU8 = AtomicU8::new(0);

impl Level {
    /// What every processor runs.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// All that this processor has, the portable one first and the fastest last.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = [Kind::Portable, Kind::Avx2, Kind::Avx512];
        kinds.into_iter().filter(|kind| kind.is_here()).map(Self)
    }

    /// The one that lookups use: the fastest, unless they are held to another one.
    #[inline]
    pub fn in_use() -> Self {
        match IN_USE.load(Ordering::Relaxed) {
            1 => Self(Kind::Portable),
            2 => Self(Kind::Avx2),
            3 => Self(Kind::Avx512),
            _ => Self::detect(),
        }
    }

    #[cold]
    fn detect() -> Self {
        let level = Self::all().last().unwrap_or(Self::PORTABLE);
        level.hold();
        level
    }

    /// Holds all lookups of this process to this level. Owners stay the same; it serves to measure
    /// what the vectors are worth.
    pub fn hold(self) {
        IN_USE.store(self.0 as u8, Ordering::Relaxed);
    }

    pub(crate) fn is_avx512(self) -> bool {
        self.0 == Kind::Avx512
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            Kind::Avx2 => "AVX2",
            Kind::Avx512 => "AVX-512",
        }
    }
}

/// Compiles a function for every level: `fn name(level, …)` does what `body(…)` does.
macro_rules! for_every_level {
    ($(#[$about:meta])* $name:ident($($arg:ident: $type:ty),*) $(-> $answer:ty)? = $body:path) => {
        $(#[$about])*
        pub(crate) fn $name(level: $crate::simd::Level, $($arg: $type),*) $(-> $answer)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),*) $(-> $answer)? {
                    $body($($arg),*)
                }
                #[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512($($arg: $type),*) $(-> $answer)? {
                    $body($($arg),*)
                }
                match level.0 {
                    $crate::simd::Kind::Portable => {}
                    // SAFETY: such a level exists only on a processor that has these vectors.
                    $crate::simd::Kind::Avx2 => return unsafe { avx2($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::Kind::Avx512 => return unsafe { avx512($($arg),*) },
                }
            }
            let _ = level;
            $body($($arg),*)
        }
    };
}
pub(crate) use for_every_level;

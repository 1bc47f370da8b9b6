//! What the figures were measured on.

use std::fs;

use algorithms::simd::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine, as far as it can be told, and the build. Times compare only where `id` is equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Hash of the fields below, in hexadecimal.
    pub id: String,
    /// Processor model.
    pub cpu: Option<String>,
    /// Processors that this process may use.
    pub cores: Option<u32>,
    /// Size of the caches by level and kind, such as "L1d 48K, L2 1024K".
    pub caches: Option<String>,
    /// Whether the processor reports a hypervisor.
    pub virtualised: Option<bool>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Operating system.
    pub os: String,
    /// Version of its kernel.
    pub kernel: Option<String>,
    /// Processor architecture that the program was built for.
    pub target: String,
    /// Processor features that the build may use beyond the architecture's baseline.
    pub target_features: String,
    /// Vectors that lookups use, found out as the program runs; unknown in older records.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vectors: Option<String>,
    /// The compiler.
    pub rustc: String,
    /// Cargo profile and optimisation level.
    pub profile: String,
}

impl Machine {
    /// This machine and this build.
    pub fn detect() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let mut machine = Self {
            id: String::new(),
            cpu: field("model name"),
            cores: std::thread::available_parallelism()
                .ok()
                .map(|n| n.get() as u32),
            caches: caches(),
            virtualised: field("flags").map(|flags| flags.split(' ').any(|f| f == "hypervisor")),
            memory_bytes: memory(),
            os: std::env::consts::OS.into(),
            kernel: read("/proc/sys/kernel/osrelease"),
            target: std::env::consts::ARCH.into(),
            target_features: env!("HARNESS_TARGET_FEATURES").into(),
            vectors: Some(Level::in_use().name().into()),
            rustc: env!("HARNESS_RUSTC").into(),
            profile: profile(),
        };
        machine.id = format!(
            "{:016x}",
            algorithms::hash::XXH3.of(format!("{machine:?}").as_bytes())
        );
        machine
    }

    /// Bytes of the largest cache, where it is known.
    pub fn largest_cache(&self) -> Option<u64> {
        let kibibytes = |cache: &str| cache.split(' ').nth(1)?.strip_suffix('K')?.parse().ok();
        let caches = self.caches.as_ref()?.split(", ");
        let largest: u64 = caches.filter_map(kibibytes).max()?;
        Some(largest * 1024)
    }
}

/// Cargo profile and optimisation level of this build.
pub fn profile() -> String {
    format!(
        "{} (opt-level {})",
        env!("HARNESS_PROFILE"),
        env!("HARNESS_OPT_LEVEL")
    )
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path)
        .ok()
        .map(|text| text.trim().to_owned())
}

fn memory() -> Option<u64> {
    let text = read("/proc/meminfo")?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn caches() -> Option<String> {
    let caches = (0..8).map_while(|index| {
        let field = |name| {
            read(&format!(
                "/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"
            ))
        };
        let kind = match field("type")?.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some(format!("L{}{kind} {}", field("level")?, field("size")?))
    });
    let caches: Vec<String> = caches.collect();
    (!caches.is_empty()).then(|| caches.join(", "))
}

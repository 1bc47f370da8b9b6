//! Families of keys: what real keys have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workload::Random;

/// A family of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// 16 random hexadecimal digits.
    Random,
    /// `user:` and a number, from 0 on.
    Sequential,
    /// A path of 19 letters that all share, and a number of 8 digits.
    CommonPrefix,
    /// 13 letters that all share, and 3 bytes that count.
    LastBytes,
}

impl Family {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 4] = [
        Self::Random,
        Self::Sequential,
        Self::CommonPrefix,
        Self::LastBytes,
    ];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Sequential => "sequential",
            Self::CommonPrefix => "common prefix",
            Self::LastBytes => "last bytes",
        }
    }

    /// The first `count` keys, all of them different.
    pub fn keys(self, count: u64, seed: u64) -> Vec<Vec<u8>> {
        let mut random = Random::new(seed, 7);
        let key = |number: u64| match self {
            Self::Random => format!("{:016x}", random.bits()).into_bytes(),
            Self::Sequential => format!("user:{number}").into_bytes(),
            Self::CommonPrefix => format!("tenant/orders/2024/{number:08}").into_bytes(),
            Self::LastBytes => [b"session-token", &number.to_be_bytes()[5..]].concat(),
        };
        (0..count).map(key).collect()
    }
}

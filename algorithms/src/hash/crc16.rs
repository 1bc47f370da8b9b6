//! CRC-16 (XMODEM) and hash tags, as Redis Cluster has them.

/// The part of the key that decides: between the first `{` and the next `}` where that is not empty.
pub fn tag(key: &[u8]) -> &[u8] {
    let find = |byte, from: usize| {
        let at = key[from..].iter().position(|&other| other == byte);
        at.map(|at| from + at)
    };
    let braces = find(b'{', 0).and_then(|open| Some((open, find(b'}', open)?)));
    match braces {
        Some((open, close)) if close > open + 1 => &key[open + 1..close],
        _ => key,
    }
}

/// Polynomial 0x1021, beginning at 0, the highest bit first.
pub fn xmodem(bytes: &[u8]) -> u16 {
    let step = |crc: u16, byte: &u8| crc << 8 ^ TABLE[usize::from((crc >> 8) as u8 ^ byte)];
    bytes.iter().fold(0, step)
}

/// The sums of single bytes.
const TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let (mut crc, mut bit) = ((byte as u16) << 8, 0);
        while bit < 8 {
            crc = crc << 1 ^ if crc >> 15 == 1 { 0x1021 } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

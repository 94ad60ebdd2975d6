//! Rows as bytes: bincode under the version in the mark.

use crate::folder::format::ROWS;
use serde::{Serialize, de::DeserializeOwned};
use sled::IVec;
use std::cell::RefCell;

/// The longest row that is written (values of the engine stay small).
pub const ROW_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Most bytes that a thread keeps for its next rows.
const KEPT_BYTES_MAX: usize = 64 * 1024;

const CODEC: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<ROW_BYTES_MAX>,
> = bincode::config::standard().with_limit::<ROW_BYTES_MAX>();

thread_local! {
    /// Buffer in which rows are encoded.
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A row as bytes.
pub fn encode<T: Serialize>(row: &T) -> Result<IVec, String> {
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
        bytes.shrink_to(KEPT_BYTES_MAX);
        bytes.push(ROWS);
        bincode::serde::encode_into_std_write(row, bytes, CODEC).map_err(|error| error.to_string())?;
        Ok(IVec::from(bytes.as_slice()))
    })
}

/// Bytes as a row.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match bytes.split_first() {
        Some((&ROWS, rest)) => {
            let (row, _) =
                bincode::serde::decode_from_slice(rest, CODEC).map_err(|error| error.to_string())?;
            Ok(row)
        }
        Some((version, _)) => Err(format!("row version {version}, this program reads {ROWS}")),
        None => Err("an empty row".into()),
    }
}

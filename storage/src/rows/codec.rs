//! Rows as bytes: bincode under the version in the mark.

use crate::folder::format::ROWS;
use serde::{Serialize, de::DeserializeOwned};

/// The longest row that is written (values of the engine stay small).
pub const ROW_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Room for a row; that of stock or of a shift takes about as much.
const ROW_BYTES: usize = 256;

const CODEC: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<ROW_BYTES_MAX>,
> = bincode::config::standard().with_limit::<ROW_BYTES_MAX>();

/// A row as bytes.
pub fn encode<T: Serialize>(row: &T) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(ROW_BYTES);
    bytes.push(ROWS);
    bincode::serde::encode_into_std_write(row, &mut bytes, CODEC).map_err(|error| error.to_string())?;
    Ok(bytes)
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

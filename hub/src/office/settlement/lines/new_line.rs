//! Lines of a statement on their way into their table: written once, with the result of matching.

use crate::db::insert;
use crate::office::settlement::source::View as Source;
use crate::row;
use domain::rules::books::settlement::import::{LineFingerprint, TextLine};
use domain::rules::books::settlement::{OpenLine, reference_key};
use edge::ids;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that are made into rows at once: the rows are several times as large.
const CHUNK: usize = 2_500;

/// State of each line after matching, with its match.
pub type Ended<'a> = BTreeMap<&'a str, (&'static str, Option<&'a str>)>;

/// New lines of one statement: the fields that matching uses, and the others.
#[derive(Default)]
pub struct NewLines {
    /// ID of the statement of the lines.
    pub statement_id: String,
    /// Fields of the lines that matching uses.
    pub open: Vec<OpenLine>,
    /// Other fields of these lines, in the same order.
    beside: Vec<Beside>,
}

/// Fields of a line that matching does not use.
struct Beside {
    fingerprint: LineFingerprint,
    /// Keys of its further references, with spaces between them.
    other_keys: Option<String>,
    /// Terminal or shop, as the source names it. Null if it names none.
    store_ref: Option<String>,
}

impl NewLines {
    /// The lines of a source's file at these places.
    pub fn of(
        statement_id: &str,
        source: &Source,
        (lines, fingerprints): (Vec<TextLine>, Vec<LineFingerprint>),
        new: &BTreeSet<usize>,
    ) -> Self {
        let statement_id = statement_id.to_owned();
        let (open, beside) = (Vec::with_capacity(new.len()), Vec::with_capacity(new.len()));
        let mut made = Self { statement_id, open, beside };
        for (place, (reported, fingerprint)) in lines.into_iter().zip(fingerprints).enumerate() {
            if !new.contains(&place) {
                continue;
            }
            let store_id =
                reported.store_ref.as_deref().and_then(|name| source.store(name)).map(str::to_owned);
            let keys: Vec<String> =
                reported.other_references.iter().filter_map(|one| reference_key(one)).collect();
            let other_keys = Some(keys.join(" ")).filter(|keys| !keys.is_empty());
            made.open.push(OpenLine {
                line_id: ids::new("sln_"),
                date: reported.date,
                // Its place in its file, from 1.
                line_no: i64::try_from(place).unwrap_or(i64::MAX).saturating_add(1),
                kind: reported.kind,
                reference: reported.reference,
                description: reported.description,
                unknown_store: reported.store_ref.is_some() && store_id.is_none(),
                store_id,
                gross: reported.gross,
                fee: reported.fee,
                net: reported.net,
                batch: reported.batch,
            });
            made.beside.push(Beside { fingerprint, other_keys, store_ref: reported.store_ref });
        }
        made
    }

    /// Adds them to their table, as matching left them; `open` has the lines that matching used.
    pub async fn write(
        self,
        connection: &mut AnyConnection,
        source_id: &str,
        open: &[OpenLine],
        ended: &Ended<'_>,
    ) -> Result<(), sqlx::Error> {
        let statement_id = self.statement_id.as_str();
        let row = |(line, Beside { fingerprint: (fingerprint, occurrence), other_keys, store_ref }): (
            &OpenLine,
            Beside,
        )| {
            let (state, match_id) = ended.get(line.line_id.as_str()).copied().unwrap_or(("unmatched", None));
            row! {
                line_id: line.line_id.as_str(), statement_id, source_id, line_no: line.line_no,
                line_date: line.date.to_string(), reference_key: reference_key(&line.reference),
                other_keys, reference: line.reference.as_str(), description: line.description.as_str(),
                kind: line.kind.name(), batch: line.batch.clone(), store_ref, gross: line.gross, fee: line.fee,
                net: line.net, fingerprint, occurrence, state, match_id: match_id.map(str::to_owned),
            }
        };
        let mut lines = open.iter().zip(self.beside);
        loop {
            let rows: Vec<_> = lines.by_ref().take(CHUNK).map(row).collect();
            if rows.is_empty() {
                return Ok(());
            }
            insert::rows(connection, "statement_lines", "", rows).await?;
        }
    }
}

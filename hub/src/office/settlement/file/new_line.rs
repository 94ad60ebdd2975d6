//! Lines of a statement on their way into their table: written once, with what matching came to.

use crate::db::insert;
use crate::office::settlement::source::View as Source;
use crate::row;
use domain::rules::books::settlement::import::{LineFingerprint, TextLine};
use domain::rules::books::settlement::{OpenLine, reference_key};
use edge::ids;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that are made into rows at once: the rows are several times as large.
const CHUNK: usize = 5_000;

/// Where each line stands after matching, with its match.
pub type Ended<'a> = BTreeMap<&'a str, (&'static str, Option<&'a str>)>;

/// New lines of one statement.
#[derive(Default)]
pub struct NewLines {
    /// Whose lines they are.
    pub statement_id: String,
    lines: Vec<NewLine>,
}

struct NewLine {
    line_id: String,
    /// Its place in its file, from 1.
    line_no: i64,
    fingerprint: LineFingerprint,
    told: TextLine,
}

impl NewLines {
    /// Those of a file that are at one of these places.
    pub fn of(
        statement_id: &str,
        lines: Vec<TextLine>,
        fingerprints: Vec<LineFingerprint>,
        new: &BTreeSet<usize>,
    ) -> Self {
        let told = lines.into_iter().zip(fingerprints).enumerate();
        let line = |(place, (told, fingerprint))| NewLine {
            line_id: ids::new("sln_"),
            line_no: i64::try_from(place).unwrap_or(i64::MAX).saturating_add(1),
            fingerprint,
            told,
        };
        let lines = told.filter(|(place, _)| new.contains(place)).map(line).collect();
        Self { statement_id: statement_id.to_owned(), lines }
    }

    /// As matching looks at them.
    pub fn open<'a>(&'a self, source: &'a Source) -> impl Iterator<Item = OpenLine> + 'a {
        self.lines.iter().map(|NewLine { line_id, line_no, told, .. }| {
            let store_id = told.store_ref.as_deref().and_then(|name| source.store(name)).map(str::to_owned);
            OpenLine {
                line_id: line_id.clone(),
                date: told.date,
                line_no: *line_no,
                kind: told.kind,
                reference: told.reference.clone(),
                description: told.description.clone(),
                unknown_store: told.store_ref.is_some() && store_id.is_none(),
                store_id,
                gross: told.gross,
                fee: told.fee,
                net: told.net,
                batch: told.batch.clone(),
            }
        })
    }

    /// Adds them to their table, where matching left them.
    pub async fn write(
        self,
        connection: &mut AnyConnection,
        source_id: &str,
        ended: &Ended<'_>,
    ) -> Result<(), sqlx::Error> {
        let statement_id = self.statement_id.as_str();
        let row = |line: NewLine| {
            let (state, match_id) = ended.get(line.line_id.as_str()).copied().unwrap_or(("unmatched", None));
            let (told, (fingerprint, occurrence)) = (line.told, line.fingerprint);
            row! {
                line_id: line.line_id, statement_id, source_id, line_no: line.line_no,
                line_date: told.date.to_string(), reference_key: reference_key(&told.reference),
                reference: told.reference, description: told.description, kind: told.kind.name(),
                batch: told.batch, store_ref: told.store_ref, gross: told.gross, fee: told.fee, net: told.net,
                fingerprint, occurrence, state, match_id: match_id.map(str::to_owned),
            }
        };
        let mut lines = self.lines.into_iter();
        loop {
            let rows: Vec<_> = lines.by_ref().take(CHUNK).map(row).collect();
            if rows.is_empty() {
                return Ok(());
            }
            insert::rows(connection, "statement_lines", "", rows).await?;
        }
    }
}

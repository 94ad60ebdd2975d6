//! Reports in the API document: each has groups of its own, and columns of its own in its rows and totals.

use crate::office::reports::column_words;
use crate::office::reports::figure::{Figure, Of};
use crate::office::reports::report::{Dates, Group, Key, KeyKind, Report, Source};
use crate::office::reports::{
    cash, exceptions, margin, members, payments, points_liability, profit, purchases, sales_report,
    sell_through, settlements, shrinkage, stock,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A report as a type.
pub trait OfReport: 'static {
    /// Name of the schema of its answer.
    const NAME: &'static str;

    /// The report.
    fn report() -> &'static Report;
}

macro_rules! reports {
    ($($name:ident => $report:expr;)+) => {$(
        pub struct $name;
        impl OfReport for $name {
            const NAME: &'static str = concat!(stringify!($name), "Report");

            fn report() -> &'static Report {
                $report
            }
        }
    )+};
}
reports! {
    Sales => &sales_report::SALES;
    Margin => &margin::MARGINS;
    Shrinkage => &shrinkage::SHRINKAGE;
    Members => &members::MEMBERS;
    Payments => &payments::PAYMENTS;
    Settlements => &settlements::SETTLEMENTS;
    Cash => &cash::CASH;
    Profit => &profit::PROFIT;
    Exceptions => &exceptions::EXCEPTIONS;
    PointsLiability => &points_liability::POINTS_LIABILITY;
    Stock => &stock::STOCK;
    SellThrough => &sell_through::SELL_THROUGH;
    Purchases => &purchases::PURCHASES;
}

/// The query `Q`, with the groups of a report.
pub struct QueryOf<R, Q>(PhantomData<(R, Q)>);
/// The answer `V`, with the groups, rows and totals of a report.
pub struct AnswerOf<R, V>(PhantomData<(R, V)>);
struct RowOf<R>(PhantomData<R>);
struct TotalsOf<R>(PhantomData<R>);

impl<R: OfReport, Q: JsonSchema> JsonSchema for QueryOf<R, Q> {
    fn schema_name() -> Cow<'static, str> {
        Q::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (mut schema, names) = (Q::json_schema(generator), names(R::report()));
        describe(&mut schema, "group_by", json!({"type": "string", "enum": names, "default": names.first()}));
        schema
    }
}

impl<R: OfReport, V: JsonSchema> JsonSchema for AnswerOf<R, V> {
    fn schema_name() -> Cow<'static, str> {
        R::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = V::json_schema(generator);
        describe(&mut schema, "group_by", json!({"enum": names(R::report())}));
        describe(&mut schema, "items", json!({"items": generator.subschema_for::<RowOf<R>>()}));
        describe(&mut schema, "totals", generator.subschema_for::<TotalsOf<R>>().to_value());
        schema
    }
}

impl<R: OfReport> JsonSchema for RowOf<R> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Row", R::NAME).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        object(R::report(), "A row of the report.", row)
    }
}

impl<R: OfReport> JsonSchema for TotalsOf<R> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Totals", R::NAME).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        object(R::report(), "Figures of all rows of the report together.", |group| figures(group.totals))
    }
}

/// Adds keywords to the schema of a property.
fn describe(schema: &mut Schema, property: &str, keywords: Value) {
    let found = schema.get_mut("properties").and_then(|all| all.get_mut(property));
    if let (Some(Value::Object(found)), Value::Object(keywords)) = (found, keywords) {
        found.extend(keywords);
    }
}

fn names(report: &Report) -> Vec<&'static str> {
    report.groups.iter().map(|group| group.name).collect()
}

/// A column of the rows of one group.
struct Column {
    name: &'static str,
    schema: Map<String, Value>,
    /// Whether the rows have the column for one kind of days only.
    by_dates: bool,
    is_money: bool,
    /// Whether it is null in every row.
    is_empty: bool,
}

fn row(group: &Group) -> Vec<Column> {
    let mut columns: Vec<Column> = group.keys.iter().flat_map(key).collect();
    columns.extend(figures(group.source));
    columns
}

fn key(key: &Key) -> Vec<Column> {
    let mut names = [Dates::Business, Dates::Books].map(|dates| key.named(dates)).to_vec();
    names.dedup();
    let by_dates = names.len() > 1;
    let kind = match key.kind {
        KeyKind::Text => json!("string"),
        KeyKind::Number => json!("integer"),
        KeyKind::TextOrNull | KeyKind::NameOf => json!(["string", "null"]),
    };
    let mut schema = Map::from_iter([("type".to_owned(), kind)]);
    if by_dates {
        schema.insert("format".to_owned(), "date".into());
    }
    let column = |name| Column { name, schema: schema.clone(), by_dates, is_money: false, is_empty: false };
    names.into_iter().map(column).collect()
}

fn figures(source: &Source) -> Vec<Column> {
    // A figure above the largest is null.
    let column = |figure: &Figure| Column {
        name: figure.name,
        schema: Map::from_iter([("type".to_owned(), json!(["integer", "null"]))]),
        by_dates: false,
        is_money: figure.is_money,
        is_empty: matches!(figure.of, Of::Nothing),
    };
    source.figures.iter().filter(|figure| figure.is_shown()).map(column).collect()
}

/// One object for all groups, since generators of clients understand no choice of objects: a column that only some
/// groups have is optional.
fn object(report: &Report, description: &str, columns: impl Fn(&Group) -> Vec<Column>) -> Schema {
    let mut named: BTreeMap<&str, Vec<(&str, Column)>> = BTreeMap::new();
    for group in report.groups {
        for column in columns(group) {
            named.entry(column.name).or_default().push((group.name, column));
        }
    }
    let is_always = |found: &[(&str, Column)]| {
        found.len() == report.groups.len() && found.iter().all(|(_, column)| !column.by_dates)
    };
    let required: Vec<Value> =
        named.iter().filter(|(_, found)| is_always(found)).map(|(name, _)| (*name).into()).collect();
    let properties: Map<String, Value> =
        named.iter().map(|(name, found)| ((*name).to_owned(), property(report, name, found))).collect();
    let mut schema = json_schema!({"type": "object", "description": description, "properties": properties});
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

/// A column with its meaning, of the groups that have it.
fn property(report: &Report, name: &str, found: &[(&str, Column)]) -> Value {
    let mut text = column_words::of(report.name, name).unwrap_or_default().to_owned();
    if found.iter().any(|(_, column)| column.is_money) {
        text.push_str(", in minor currency units");
    }
    text.push('.');
    let groups = |of: &dyn Fn(&Column) -> bool| {
        let names = found.iter().filter(|(_, column)| of(column)).map(|(group, _)| format!("`{group}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    if found.len() < report.groups.len() {
        text.push_str(&format!(" Only with `group_by` {}.", groups(&|_| true)));
    }
    if found.iter().any(|(_, column)| column.is_empty) {
        text.push_str(&format!(" Null with `group_by` {}.", groups(&|column| column.is_empty)));
    }
    let mut fields = found.first().map(|(_, column)| column.schema.clone()).unwrap_or_default();
    fields.insert("description".to_owned(), text.into());
    fields.into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::office::reports::column_words::WORDS;
    use std::collections::BTreeSet;

    const REPORTS: [&Report; 13] = [
        &sales_report::SALES,
        &margin::MARGINS,
        &shrinkage::SHRINKAGE,
        &members::MEMBERS,
        &payments::PAYMENTS,
        &settlements::SETTLEMENTS,
        &cash::CASH,
        &profit::PROFIT,
        &exceptions::EXCEPTIONS,
        &points_liability::POINTS_LIABILITY,
        &stock::STOCK,
        &sell_through::SELL_THROUGH,
        &purchases::PURCHASES,
    ];

    #[test]
    fn every_column_of_a_report_has_words_and_no_words_are_left_over() {
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for report in REPORTS {
            for group in report.groups {
                for column in row(group).into_iter().chain(figures(group.totals)) {
                    let words = column_words::of(report.name, column.name);
                    assert!(words.is_some(), "{} {} has no words", report.name, column.name);
                    used.extend(words);
                }
            }
        }
        let unused: Vec<_> = WORDS.iter().filter(|(_, _, words)| !used.contains(words)).collect();
        assert!(unused.is_empty(), "no report has {unused:?}");
    }

    #[test]
    fn a_column_of_some_groups_is_optional_and_says_of_which() {
        let rows = RowOf::<Sales>::json_schema(&mut SchemaGenerator::default()).to_value();
        let property = |name: &str| rows.pointer(&format!("/properties/{name}")).unwrap().clone();
        assert_eq!(
            property("hour"),
            json!({"type": "string", "description":
                "Hour at the store, such as `2026-11-20T09:00`. Only with `group_by` `hour`."})
        );
        let day = property("entry_date");
        assert_eq!((day.get("format"), day.get("type")), (Some(&json!("date")), Some(&json!("string"))));
        let rounding = property("rounding").to_string();
        assert!(rounding.contains("Null with `group_by` `sku`, `category`."), "{rounding}");
        assert_eq!(rows.get("required"), None, "its groups have no column in common");
        let months = RowOf::<PointsLiability>::json_schema(&mut SchemaGenerator::default()).to_value();
        let required = months.get("required").and_then(Value::as_array).unwrap();
        assert!(required.contains(&json!("month")) && required.len() == 8, "{required:?}");
    }
}

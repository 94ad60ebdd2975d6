//! Current rows of members, and what people search by.

use super::Read;
use crate::handle::Storage;
use crate::rows::apply::member_key;
use crate::rows::table::Table;
use domain::ids::{MemberId, Sku};
use domain::member::{self, Member, MemberKey};
use domain::points::PointsAccount;
use domain::product::{self, Product};
use domain::search;
use std::collections::BTreeSet;

/// Most keys of a word that one page of a search looks at: a word that everybody has must not make it slow.
pub const SEARCH_KEYS_MAX: usize = 5_000;

impl Storage {
    /// A member.
    pub fn member(&self, id: &MemberId) -> Read<Option<Member>> {
        self.rows().row(Table::Member, id.as_str())
    }

    /// Members after an id, in order of id: of when they joined.
    pub fn members(&self, after: Option<&MemberId>, limit: usize) -> Read<Vec<Member>> {
        self.rows().page(Table::Member, after.map(MemberId::as_str), limit)
    }

    /// Whom a phone number, an e-mail address or a code names; of several the one that joined first.
    pub fn member_by_key(&self, key: &MemberKey) -> Read<Option<MemberId>> {
        let found = self.rows().range(&member_key(key), None, 1)?;
        found.first().map(|(_, bytes)| self.rows().decoded(bytes)).transpose()
    }

    /// A member's points; none: there never were any.
    pub fn points(&self, member: &MemberId) -> Read<Option<PointsAccount>> {
        self.rows().row(Table::Points, member.as_str())
    }

    /// Points of members after an id, in order of id: of those who ever had any.
    pub fn points_accounts(&self, after: Option<&MemberId>, limit: usize) -> Read<Vec<PointsAccount>> {
        self.rows().page(Table::Points, after.map(MemberId::as_str), limit)
    }

    /// Members some word of whom begins with each typed word, in order of id, after one.
    pub fn search_members(
        &self,
        typed: &BTreeSet<String>,
        after: Option<&MemberId>,
        limit: usize,
    ) -> Read<Vec<Member>> {
        let ids = self.candidates(Table::MemberWord, typed, after.map(MemberId::as_str))?;
        let members = ids.iter().filter_map(|id| self.rows().row::<Member>(Table::Member, id).transpose());
        let wanted = |member: &Member| search::matches(typed, &member::words(member));
        members.filter(|member| member.as_ref().map_or(true, wanted)).take(limit).collect()
    }

    /// Products some word of which begins with each typed word, in order of sku, after one.
    pub fn search_products(
        &self,
        typed: &BTreeSet<String>,
        after: Option<&Sku>,
        limit: usize,
    ) -> Read<Vec<Product>> {
        let skus = self.candidates(Table::ProductWord, typed, after.map(Sku::as_str))?;
        let products =
            skus.iter().filter_map(|sku| self.rows().row::<Product>(Table::Product, sku).transpose());
        let wanted = |product: &Product| search::matches(typed, &product::words(product));
        products.filter(|product| product.as_ref().map_or(true, wanted)).take(limit).collect()
    }

    /// The products that are sold and that a scanner's code names, in order of sku. More than one: head office
    /// and the store each gave the code to a product.
    pub fn products_by_barcode(&self, code: &str) -> Read<Vec<Product>> {
        let prefix = Table::Barcode.pair(code, "");
        let keys = self.rows().range(&prefix, None, usize::MAX)?;
        let skus =
            keys.iter().map(|(key, _)| String::from_utf8_lossy(key.get(prefix.len()..).unwrap_or_default()));
        let mut found = Vec::new();
        for sku in skus {
            let product = self.product(&Sku::from(sku.as_ref()))?;
            found.extend(product.filter(|product| product.is_active() && product.has_code(code)));
        }
        Ok(found)
    }

    /// Ids under the longest typed word, in order, without repetition: it leaves the fewest.
    fn candidates(
        &self,
        table: Table,
        typed: &BTreeSet<String>,
        after: Option<&str>,
    ) -> Read<BTreeSet<String>> {
        let Some(longest) = typed.iter().max_by_key(|word| word.len()) else { return Ok(BTreeSet::new()) };
        let keys = self.rows().range(&table.key(longest), None, SEARCH_KEYS_MAX)?;
        let id = |key: &[u8]| {
            let zero = key.iter().rposition(|byte| *byte == 0)?;
            Some(String::from_utf8_lossy(key.get(zero + 1..)?).into_owned())
        };
        let ids = keys.iter().filter_map(|(key, _)| id(key));
        Ok(ids.filter(|id| after.is_none_or(|after| id.as_str() > after)).collect())
    }
}

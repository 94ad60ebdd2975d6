//! The matcher: a tree of path segments in which literals win over parameters.

use crate::api::query::percent;
use crate::api::request::Params;
use http::Method;
use std::collections::BTreeMap;

/// Longest decoded path parameter, in bytes.
const PARAMETER_BYTES_MAX: usize = 256;

/// A table of routes that can't be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// Not of the form `/segment/:parameter`.
    #[error("route pattern {0:?} is malformed")]
    Pattern(&'static str),
    /// Two rows for one method and path.
    #[error("route {method} {pattern} is listed twice")]
    Twice {
        /// Method of the route.
        method: Method,
        /// Pattern of the later route.
        pattern: &'static str,
    },
}

/// All patterns of a table.
#[derive(Debug, Default)]
pub struct Tree(Node);

#[derive(Debug, Default)]
struct Node {
    literals: BTreeMap<&'static str, Node>,
    parameter: Option<Box<Node>>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    method: Method,
    index: usize,
    parameters: Vec<&'static str>,
}

/// A path that one or more rows match.
pub struct Found<'a> {
    rows: &'a [Row],
    values: Vec<String>,
}

impl Tree {
    /// The tree of a table, rows in order.
    ///
    /// # Errors
    /// A pattern that is malformed or listed twice.
    pub fn new<'a>(rows: impl Iterator<Item = (&'a Method, &'static str)>) -> Result<Self, RouteError> {
        let mut tree = Self::default();
        for (index, (method, pattern)) in rows.enumerate() {
            tree.add(index, method.clone(), pattern)?;
        }
        Ok(tree)
    }

    fn add(&mut self, index: usize, method: Method, pattern: &'static str) -> Result<(), RouteError> {
        let mut node = &mut self.0;
        let mut parameters = Vec::new();
        for segment in pattern.strip_prefix('/').ok_or(RouteError::Pattern(pattern))?.split('/') {
            node = match segment.strip_prefix(':') {
                // The root alone ends in a slash.
                _ if segment == ":" || segment.is_empty() && pattern != "/" => {
                    return Err(RouteError::Pattern(pattern));
                }
                Some(name) => {
                    parameters.push(name);
                    node.parameter.get_or_insert_default()
                }
                None => node.literals.entry(segment).or_default(),
            };
        }
        if node.rows.iter().any(|row| row.method == method) {
            return Err(RouteError::Twice { method, pattern });
        }
        node.rows.push(Row { method, index, parameters });
        Ok(())
    }

    /// The rows of a path; `None` is a 404. A trailing slash makes a different path.
    pub fn find(&self, path: &str) -> Option<Found<'_>> {
        let mut values = Vec::new();
        let node = self.0.find(path.strip_prefix('/')?, &mut values)?;
        let values = values.into_iter().map(decode).collect::<Option<_>>()?;
        Some(Found { rows: &node.rows, values })
    }
}

impl Node {
    /// Depth is bounded by the longest pattern, not by the path.
    fn find<'p>(&self, path: &'p str, values: &mut Vec<&'p str>) -> Option<&Self> {
        let (segment, rest) = match path.split_once('/') {
            Some((segment, rest)) => (segment, Some(rest)),
            None => (path, None),
        };
        if let Some(found) = self.literals.get(segment).and_then(|node| node.descend(rest, values)) {
            return Some(found);
        }
        let node = self.parameter.as_deref().filter(|_| !segment.is_empty())?;
        let kept = values.len();
        values.push(segment);
        let found = node.descend(rest, values);
        if found.is_none() {
            values.truncate(kept);
        }
        found
    }

    fn descend<'p>(&self, rest: Option<&'p str>, values: &mut Vec<&'p str>) -> Option<&Self> {
        match rest {
            Some(rest) => self.find(rest, values),
            None => Some(self).filter(|node| !node.rows.is_empty()),
        }
    }
}

impl Found<'_> {
    /// The row of a method with its parameters, or the methods that are allowed. HEAD is a GET whose
    /// body stays at home.
    pub fn row(self, method: &Method) -> Result<(usize, Params), Vec<Method>> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        match self.rows.iter().find(|row| row.method == *method) {
            Some(row) => Ok((row.index, Params(row.parameters.iter().copied().zip(self.values).collect()))),
            None => Err(self.allowed()),
        }
    }

    fn allowed(&self) -> Vec<Method> {
        let mut allowed: Vec<Method> = self.rows.iter().map(|row| row.method.clone()).collect();
        if allowed.contains(&Method::GET) {
            allowed.push(Method::HEAD);
        }
        allowed
    }
}

fn decode(segment: &str) -> Option<String> {
    percent(segment).filter(|value| value.len() <= PARAMETER_BYTES_MAX)
}

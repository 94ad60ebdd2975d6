//! Many texts as one parameter: an array of PostgreSQL, a list in JSON for SQLite. The statement is one whatever they are,
//! and looks nothing up among hundreds of parameters.

use crate::db::Engine;

/// Adds a text to an array as PostgreSQL writes one: in quotes, so that nothing in it is a mark of the array's own.
pub(super) fn push_text(array: &mut String, text: &str) {
    array.push('"');
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            array.push('\\');
        }
        array.push(letter);
    }
    array.push('"');
}

/// The condition that a column is one of [`texts`], which are the parameter of that number.
pub fn among(engine: Engine, column: &str, place: usize) -> String {
    match engine {
        // As rows, which are hashed or looked up one by one: an array would be searched for each row of the table.
        Engine::Postgres => format!("{column} IN (SELECT UNNEST(${place}::TEXT[]))"),
        Engine::Sqlite => format!("{column} IN (SELECT value FROM json_each(${place}))"),
    }
}

/// A statement in brackets of the pairs of texts that are the parameter of that number, each written by [`pair`].
pub fn pairs(engine: Engine, [first, second]: [&str; 2], place: usize) -> String {
    match engine {
        Engine::Postgres => format!(
            "(SELECT v::JSON ->> 0 AS {first}, v::JSON ->> 1 AS {second} FROM UNNEST(${place}::TEXT[]) AS v)"
        ),
        Engine::Sqlite => format!(
            "(SELECT json_extract(value, '$[0]') AS {first}, json_extract(value, '$[1]') AS {second} \
             FROM json_each(${place}))"
        ),
    }
}

/// Two texts as one.
pub fn pair(first: &str, second: &str) -> String {
    serde_json::json!([first, second]).to_string()
}

/// Texts as one parameter.
///
/// # Errors
/// Never: texts are JSON.
pub fn texts<'a>(engine: Engine, texts: impl Iterator<Item = &'a str>) -> Result<String, sqlx::Error> {
    if engine == Engine::Sqlite {
        let texts: Vec<&str> = texts.collect();
        return serde_json::to_string(&texts).map_err(|error| sqlx::Error::Encode(error.into()));
    }
    let mut array = String::from("{");
    for (number, text) in texts.enumerate() {
        if number > 0 {
            array.push(',');
        }
        push_text(&mut array, text);
    }
    array.push('}');
    Ok(array)
}

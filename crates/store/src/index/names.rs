//! Names by number: a server, tool or session is written once and counted in four bytes after that.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension};

use crate::StoreError;

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Server,
    Tool,
    Session,
    /// A set of sensitive types, sorted and joined by commas.
    Sensitive,
}

/// How many dimensions there are.
const DIMENSIONS: usize = 4;

/// Names remembered before all are forgotten: sessions come and go for ever.
const MOST_REMEMBERED: usize = 20_000;

/// Remembers the numbers of names that were used lately.
#[derive(Default)]
pub(super) struct Names {
    /// By dimension.
    known: [HashMap<String, u32>; DIMENSIONS],
    /// The last name of each dimension: a call and its result have the same ones.
    last: [(String, u32); DIMENSIONS],
}

impl Names {
    /// The number of a name, which is made if there is none. Nothing is number 0.
    pub(super) fn number(
        &mut self,
        connection: &Connection,
        dimension: Dimension,
        text: &str,
    ) -> Result<u32, StoreError> {
        if text.is_empty() {
            return Ok(0);
        }
        let (last, number) = &self.last[dimension as usize];
        if last == text {
            return Ok(*number);
        }
        let number = match self.known[dimension as usize].get(text) {
            Some(number) => *number,
            None => self.learn(connection, dimension, text)?,
        };
        let (last, last_number) = &mut self.last[dimension as usize];
        text.clone_into(last);
        *last_number = number;
        Ok(number)
    }

    fn learn(
        &mut self,
        connection: &Connection,
        dimension: Dimension,
        text: &str,
    ) -> Result<u32, StoreError> {
        let number = match find(connection, dimension, text)? {
            Some(number) => number,
            None => {
                let insert = "INSERT INTO names (dimension, text) VALUES (?1, ?2)";
                connection.prepare_cached(insert)?.execute((dimension as u8, text))?;
                u32::try_from(connection.last_insert_rowid()).unwrap_or_default()
            }
        };
        if self.known.iter().map(HashMap::len).sum::<usize>() >= MOST_REMEMBERED {
            self.known.iter_mut().for_each(HashMap::clear);
        }
        self.known[dimension as usize].insert(text.to_owned(), number);
        Ok(number)
    }
}

/// The number of a name, if it has one.
pub(super) fn find(
    connection: &Connection,
    dimension: Dimension,
    text: &str,
) -> Result<Option<u32>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM names WHERE dimension = ?1 AND text = ?2")?;
    Ok(statement.query_row((dimension as u8, text), |row| row.get(0)).optional()?)
}

/// The name with this number.
pub(super) fn text(connection: &Connection, number: u32) -> Result<String, StoreError> {
    if number == 0 {
        return Ok(String::new());
    }
    let mut statement = connection.prepare_cached("SELECT text FROM names WHERE id = ?1")?;
    Ok(statement.query_row([number], |row| row.get(0)).optional()?.unwrap_or_default())
}

/// Removes names that stand on no page any more: sessions come and go for ever.
pub(super) fn forget_unused(connection: &Connection, used: &HashSet<u32>) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM names")?;
    let all: Vec<u32> = statement.query_map((), |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut remove = connection.prepare_cached("DELETE FROM names WHERE id = ?1")?;
    for number in all.iter().filter(|number| !used.contains(number)) {
        remove.execute([number])?;
    }
    Ok(())
}

/// The numbers of all sets that hold this sensitive type.
pub(super) fn sets_with(connection: &Connection, sensitive: &str) -> Result<Vec<u32>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id, text FROM names WHERE dimension = ?1")?;
    let sets = statement.query_map([Dimension::Sensitive as u8], |row| {
        Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?))
    })?;
    let mut numbers = Vec::new();
    for set in sets {
        let (number, text) = set?;
        if text.split(',').any(|one| one == sensitive) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

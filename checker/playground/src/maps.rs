//! A copy by a tensor map of the launch file, drawn as `tma map draw` does.

use launch_file::LaunchFile;
use serde::Deserialize;
use serde_json::{Value, json};
use tensor_map::{Params, walk::Direction};
use tma_drawings::{Access, TensorCopy};
use tma_launch::suggestion;

/// The most bytes of a box that are drawn.
const MOST_BYTES: u64 = 256 << 10;

/// The copy to draw.
#[derive(Debug, Deserialize)]
pub(crate) struct Draw {
    /// The name of the map in the launch file.
    map: String,
    /// Coordinates of the box, innermost first.
    at: Vec<i32>,
    #[serde(default)]
    store: bool,
}

impl Draw {
    /// Returns the drawing and its summary, or a message.
    pub(crate) fn answer(&self, file: &LaunchFile) -> Value {
        let drawn = self.draw(file);
        drawn.unwrap_or_else(|message| json!({ "message": message }))
    }

    fn draw(&self, file: &LaunchFile) -> Result<Value, String> {
        let found = file.maps().find(|(name, _)| *name == self.map);
        let (_, params) = found.ok_or_else(|| {
            let near = suggestion(&self.map, file.maps().map(|(name, _)| name));
            format!("the launch file has no map `{}`: {near}", self.map)
        })?;
        if params.box_bytes() > MOST_BYTES {
            return Err(format!("the box has more than {MOST_BYTES} bytes"));
        }
        let spatial = match params {
            Params::Tiled(_) => 0,
            _ => params.tensor().rank().saturating_sub(2),
        };
        let direction = match self.store {
            true => Direction::Store,
            false => Direction::Load,
        };
        let access: Access = "column:16".parse().map_err(|error| format!("{error}"))?;
        let copy = TensorCopy::new(*params, &self.at, &vec![0; spatial], direction, 0);
        let copy = copy.map_err(|error| error.to_string())?;
        let summary = copy.summary(access);
        // The page shows the summary as text.
        Ok(json!({ "svg": copy.draw(&[]), "summary": summary }))
    }
}

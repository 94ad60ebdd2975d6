//! Head office's books, tested only over HTTP.

mod reported;
mod several;
mod story;
mod uploads;

//! Head office's books through its interface alone.

mod reported;
mod several;
mod story;
mod uploads;

//! Head office's books through its interface alone.

mod several;
mod story;
mod told;
mod uploads;

//! Head office's books through its interface alone.

mod story;

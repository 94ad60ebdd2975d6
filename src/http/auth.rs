//! Log-ins are shared with the hub: `edge::identity`.

pub use edge::identity::Nothing;

//! Functions of the runtime that are not there.

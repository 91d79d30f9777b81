use std::fmt::{self, Display, Formatter};

use super::joined;
use crate::ast::{Alias, File, Item, Module, Pragma, Section, Target, Version};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}\n{}", self.version, self.target)?;
        if let Some(bits) = self.address_size {
            writeln!(f, ".address_size {bits}")?;
        }
        for item in &self.items {
            let gap = if matches!(item, Item::Function(_)) {
                "\n"
            } else {
                ""
            };
            writeln!(f, "{gap}{item}")?;
        }
        Ok(())
    }
}

impl Display for Version {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".target ")?;
        joined(f, &self.names, ", ")
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Function(function) => function.fmt(f),
            Item::Variable(variable) => variable.fmt(f),
            Item::Pragma(pragma) => pragma.fmt(f),
            Item::File(file) => file.fmt(f),
            Item::Section(section) => section.fmt(f),
            Item::Alias(alias) => alias.fmt(f),
            Item::Label(label) => write!(f, "{label}:"),
        }
    }
}

impl Display for Pragma {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".pragma ")?;
        for (index, text) in self.texts.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}\"{text}\"")?;
        }
        f.write_str(";")
    }
}

impl Display for File {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".file {} \"{}\"", self.index, self.path)?;
        match self.stamp {
            Some((time, size)) => write!(f, ", {time}, {size}"),
            None => Ok(()),
        }
    }
}

impl Display for Section {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".section {}\n{{{}}}", self.name, self.body)
    }
}

impl Display for Alias {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".alias {}, {};", self.name, self.aliased)
    }
}

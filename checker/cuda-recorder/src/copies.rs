//! Copies of device memory. Large copies use pinned host memory, which the device writes several times as fast as
//! pageable memory, and several threads copy the bytes out of it.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use launch_archive::PART_BYTES;

use crate::{
    driver::{self, SUCCESS},
    host,
    parts::{Part, Parts},
    slots::{Copied, Flying, Slot},
};

/// Number of slots, each the size of a part; with more of them they would not stay in the processor's cache.
const SLOTS: usize = 16;
/// Number of copies queued on the device.
const MOST_FLYING: usize = 4;
/// Smaller copies do not use slots.
const LEAST_BYTES: usize = 256 << 10;
/// One more thread helps for each of these many bytes.
const THREAD_BYTES: usize = 8 << 20;
const MOST_THREADS: usize = 16;

/// Memory to copy, and its previous contents.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    pub(crate) known: Option<&'a Parts>,
}

/// A part of a requested copy.
struct Task<'a> {
    /// The index of the requested copy.
    index: usize,
    address: u64,
    bytes: usize,
    known: Option<&'a Arc<Part>>,
    done: OnceLock<Arc<Part>>,
}

/// Copies memory, and calls `see` with each part, again if it could not be copied at first. The error is the index
/// of the memory that cannot be read, and the driver's code.
pub(crate) fn take(
    wanted: &[Wanted<'_>],
    see: &(dyn Fn(&[u8]) + Sync),
) -> Result<Vec<Parts>, (usize, i32)> {
    let tasks: Vec<Task<'_>> = wanted.iter().enumerate().flat_map(Wanted::tasks).collect();
    let bytes: usize = tasks.iter().map(|task| task.bytes).sum();
    if bytes >= LEAST_BYTES {
        copy(&tasks, bytes, see);
    }
    let mut all = vec![Parts::new(); wanted.len()];
    for mut task in tasks {
        let part = match task.done.take() {
            Some(part) => part,
            None => task.read(see)?,
        };
        all[task.index].push(part);
    }
    Ok(all)
}

impl<'a> Wanted<'a> {
    fn tasks((index, wanted): (usize, &Self)) -> impl Iterator<Item = Task<'a>> {
        let Self {
            address,
            bytes,
            known,
        } = *wanted;
        (0..bytes).step_by(PART_BYTES).map(move |start| Task {
            index,
            address: address + start as u64,
            bytes: PART_BYTES.min(bytes - start),
            known: known.and_then(|known| known.get(start / PART_BYTES)),
            done: OnceLock::new(),
        })
    }
}

impl Task<'_> {
    /// Returns the copied part, which often equals the previous contents.
    fn part(&self, bytes: &[u8], see: &(dyn Fn(&[u8]) + Sync)) -> Arc<Part> {
        see(bytes);
        let same = self.known.filter(|known| known[..] == *bytes);
        same.cloned().unwrap_or_else(|| Part::new(bytes))
    }

    fn end(&self, bytes: &[u8], see: &(dyn Fn(&[u8]) + Sync)) {
        // No other thread has this task.
        let _ = self.done.set(self.part(bytes, see));
    }

    /// Copies without a slot.
    fn read(&self, see: &(dyn Fn(&[u8]) + Sync)) -> Result<Arc<Part>, (usize, i32)> {
        let mut bytes = vec![0; self.bytes];
        match driver::read(self.address, &mut bytes) {
            SUCCESS => Ok(self.part(&bytes, see)),
            code => Err((self.index, code)),
        }
    }
}

/// Copies parts with slots. Parts that fail are left to the caller, which copies them without slots.
fn copy(tasks: &[Task<'_>], bytes: usize, see: &(dyn Fn(&[u8]) + Sync)) {
    static SLOTS_OF_PROCESS: Mutex<Vec<Slot>> = Mutex::new(Vec::new());
    let mut slots = SLOTS_OF_PROCESS
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    while slots.len() < SLOTS.min(tasks.len()) {
        slots.push(Slot::new(PART_BYTES));
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = (bytes / THREAD_BYTES)
        .min(cores.saturating_sub(1))
        .min(MOST_THREADS);
    thread::scope(|scope| {
        let (to_threads, copied) = channel();
        let (give_back, free) = channel();
        let copied = Arc::new(Mutex::new(copied));
        let help = |_: &usize| {
            let (copied, give_back) = (copied.clone(), give_back.clone());
            let thread = thread::Builder::new().name("tma record".to_owned());
            let work = move || {
                host::block_signals();
                take_out(&copied, &give_back, see);
            };
            thread.spawn_scoped(scope, work).is_ok()
        };
        let threads = (0..threads).filter(help).count();
        for slot in slots.iter_mut() {
            let _ = give_back.send(slot);
        }
        let pipeline = Pipeline {
            flying: VecDeque::new(),
            to_threads: (threads > 0).then_some(to_threads),
            free,
            give_back,
            see,
        };
        // The missing parts are copied later without slots.
        let _ = pipeline.run(tasks);
    });
}

/// The work of a thread: copies bytes out of slots.
fn take_out<'a>(
    copied: &Mutex<Receiver<(Copied<'a>, &'a Task<'a>)>>,
    give_back: &Sender<&'a mut Slot>,
    see: &(dyn Fn(&[u8]) + Sync),
) {
    loop {
        let next = copied.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((copied, task)) = next else {
            return;
        };
        task.end(&copied, see);
        let _ = give_back.send(copied.into_slot());
    }
}

/// Copies in flight in order, and their destinations.
struct Pipeline<'a, 's> {
    flying: VecDeque<(&'a Task<'a>, Flying<'a>)>,
    to_threads: Option<Sender<(Copied<'a>, &'a Task<'a>)>>,
    free: Receiver<&'a mut Slot>,
    give_back: Sender<&'a mut Slot>,
    see: &'s (dyn Fn(&[u8]) + Sync),
}

impl<'a> Pipeline<'a, '_> {
    /// Starts the copies, and passes finished ones to the threads. The error is the driver's code.
    fn run(mut self, tasks: &'a [Task<'a>]) -> Result<(), i32> {
        for task in tasks {
            if self.flying.len() >= MOST_FLYING {
                self.land()?;
            }
            let slot = self.slot()?;
            let flying = slot.copy(task.address, task.bytes)?;
            self.flying.push_back((task, flying));
        }
        while !self.flying.is_empty() {
            self.land()?;
        }
        Ok(())
    }

    /// Returns a free slot.
    fn slot(&mut self) -> Result<&'a mut Slot, i32> {
        loop {
            if let Ok(slot) = self.free.try_recv() {
                return Ok(slot);
            }
            if self.flying.is_empty() {
                // All slots are in use by the threads.
                return self.free.recv().map_err(|_| driver::NOT_FOUND);
            }
            self.land()?;
        }
    }

    /// Waits for the first copy in flight.
    fn land(&mut self) -> Result<(), i32> {
        let Some((task, flying)) = self.flying.pop_front() else {
            return Ok(());
        };
        let copied = flying.wait()?;
        match &self.to_threads {
            Some(threads) => {
                let _ = threads.send((copied, task));
            }
            None => {
                task.end(&copied, self.see);
                let _ = self.give_back.send(copied.into_slot());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_asked_for_one_behind_the_other() {
        let known: Parts = crate::parts::of(&vec![1; PART_BYTES + 5]);
        let wanted = Wanted {
            address: 0x7000_0000,
            bytes: 2 * PART_BYTES + 1,
            known: Some(&known),
        };
        let tasks: Vec<_> = Wanted::tasks((3, &wanted))
            .map(|task| (task.index, task.address, task.bytes, task.known.is_some()))
            .collect();
        let second = 0x7000_0000 + PART_BYTES as u64;
        let expected = [
            (3, 0x7000_0000, PART_BYTES, true),
            (3, second, PART_BYTES, true),
            (3, second + PART_BYTES as u64, 1, false),
        ];
        assert_eq!(tasks, expected);
    }

    #[test]
    fn a_part_that_is_known_is_shared() {
        let known = crate::parts::of(&[7; 1000]);
        let wanted = Wanted {
            address: 0,
            bytes: 1000,
            known: Some(&known),
        };
        let task = Wanted::tasks((0, &wanted)).next().unwrap();
        let seen = Mutex::new(0);
        let see = |bytes: &[u8]| *seen.lock().unwrap() += bytes.len();
        assert!(Arc::ptr_eq(&task.part(&[7; 1000], &see), &known[0]));
        let other = task.part(&[8; 1000], &see);
        assert_eq!(
            (other[..].to_vec(), *seen.lock().unwrap()),
            (vec![8; 1000], 2000)
        );
    }

    /// There is no driver here.
    #[test]
    fn what_cannot_be_copied_is_told() {
        for bytes in [1, LEAST_BYTES, 3 * PART_BYTES] {
            let wanted = [0, bytes].map(|bytes| Wanted {
                address: 0x7000_0000,
                bytes,
                known: None,
            });
            assert_eq!(take(&wanted, &|_| ()).unwrap_err(), (1, driver::NOT_FOUND));
            assert!(take(&wanted[..1], &|_| ()).unwrap()[0].is_empty());
        }
    }
}

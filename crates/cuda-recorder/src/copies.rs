//! Copies of the device's memory. Much of it goes through memory whose pages stay in their place, which the device writes
//! several times as fast as other memory, and several threads take it out of there.

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

/// Slots, which have the size of a part: more of them do not stay in the processor's cache.
const SLOTS: usize = 16;
/// Copies that the device has before it.
const MOST_FLYING: usize = 4;
/// Fewer bytes are copied without slots.
const LEAST_BYTES: usize = 256 << 10;
/// Another thread helps for so many bytes.
const THREAD_BYTES: usize = 8 << 20;
const MOST_THREADS: usize = 16;

/// Memory that is to be copied, and what was found there before.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    pub(crate) known: Option<&'a Parts>,
}

/// One part of what is wanted.
struct Task<'a> {
    address: u64,
    bytes: usize,
    known: Option<&'a Arc<Part>>,
    done: &'a OnceLock<Arc<Part>>,
}

/// Copies memory. `see` is called with each part. The error is the index of what cannot be read, and the driver's code.
pub(crate) fn take(
    wanted: &[Wanted<'_>],
    see: &(dyn Fn(&[u8]) + Sync),
) -> Result<Vec<Parts>, (usize, i32)> {
    let count = |wanted: &Wanted<'_>| wanted.bytes.div_ceil(PART_BYTES);
    let done: Vec<Vec<OnceLock<Arc<Part>>>> = wanted
        .iter()
        .map(|wanted| vec![OnceLock::new(); count(wanted)])
        .collect();
    let tasks = wanted.iter().zip(&done).enumerate();
    let tasks = tasks.flat_map(|(index, (wanted, done))| {
        let known = wanted.known.filter(|known| known.len() == done.len());
        done.iter().enumerate().map(move |(part, done)| {
            let start = part * PART_BYTES;
            let task = Task {
                address: wanted.address + start as u64,
                bytes: PART_BYTES.min(wanted.bytes - start),
                known: known.map(|known| &known[part]),
                done,
            };
            (index, task)
        })
    });
    copy(tasks.collect(), see)?;
    let taken = done
        .into_iter()
        .map(|parts| parts.into_iter().filter_map(OnceLock::into_inner).collect());
    Ok(taken.collect())
}

impl Task<'_> {
    /// Takes what was copied, which is often what is known.
    fn end(&self, bytes: &[u8], see: &(dyn Fn(&[u8]) + Sync)) {
        see(bytes);
        let same = self.known.filter(|known| known[..] == *bytes).cloned();
        let part = same.unwrap_or_else(|| Part::new(bytes));
        // Nobody else has this task.
        let _ = self.done.set(part);
    }
}

fn copy(
    tasks: VecDeque<(usize, Task<'_>)>,
    see: &(dyn Fn(&[u8]) + Sync),
) -> Result<(), (usize, i32)> {
    static SLOTS_OF_PROCESS: Mutex<Vec<Slot>> = Mutex::new(Vec::new());
    let mut slots = SLOTS_OF_PROCESS
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let bytes: usize = tasks.iter().map(|(_, task)| task.bytes).sum();
    if bytes < LEAST_BYTES {
        return tasks.iter().try_for_each(|(index, task)| {
            let mut bytes = vec![0; task.bytes];
            match driver::read(task.address, &mut bytes) {
                SUCCESS => {
                    task.end(&bytes, see);
                    Ok(())
                }
                code => Err((*index, code)),
            }
        });
    }
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
        pipeline.run(tasks)
    })
}

/// The work of a thread: it takes bytes out of slots.
fn take_out<'a>(
    copied: &Mutex<Receiver<(Copied<'a>, Task<'a>)>>,
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

/// Copies that were asked for, in their order, and where they go.
struct Pipeline<'a, 's> {
    flying: VecDeque<(usize, Task<'a>, Flying<'a>)>,
    to_threads: Option<Sender<(Copied<'a>, Task<'a>)>>,
    free: Receiver<&'a mut Slot>,
    give_back: Sender<&'a mut Slot>,
    see: &'s (dyn Fn(&[u8]) + Sync),
}

impl<'a> Pipeline<'a, '_> {
    /// Asks for copies, and has what was copied taken out.
    fn run(mut self, tasks: VecDeque<(usize, Task<'a>)>) -> Result<(), (usize, i32)> {
        for (index, task) in tasks {
            if self.flying.len() >= MOST_FLYING {
                self.land()?;
            }
            let slot = self.slot()?;
            let flying = slot.copy(task.address, task.bytes);
            let flying = flying.map_err(|code| (index, code))?;
            self.flying.push_back((index, task, flying));
        }
        while !self.flying.is_empty() {
            self.land()?;
        }
        Ok(())
    }

    /// A slot that nobody uses.
    fn slot(&mut self) -> Result<&'a mut Slot, (usize, i32)> {
        loop {
            if let Ok(slot) = self.free.try_recv() {
                return Ok(slot);
            }
            if self.flying.is_empty() {
                // The threads have all of them.
                return self.free.recv().map_err(|_| (0, driver::NOT_FOUND));
            }
            self.land()?;
        }
    }

    /// Waits for the first copy.
    fn land(&mut self) -> Result<(), (usize, i32)> {
        let Some((index, task, flying)) = self.flying.pop_front() else {
            return Ok(());
        };
        let copied = flying.wait().map_err(|code| (index, code))?;
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

//! Power cuts: the data lies in an ext4 image on a loop device. While tills sell, the daemon is
//! stopped and the image's backing file copied: it holds all that the device was given and nothing
//! of the page cache, which is what a cut leaves. The daemon goes on from the copy, and so do the
//! tills: whatever was acknowledged must be there, whatever was not is repeated.

use crate::support::random::Random;
use crate::support::store::Store;
use crate::support::till::{Load, Till};
use crate::support::{audit, wait};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How often the power is cut.
const CUTS: usize = 10;
/// Tills that sell meanwhile.
const TILLS: usize = 4;
/// Sales acknowledged between two cuts.
const SALES_BETWEEN: usize = 25;
/// The last moment after those sales, chosen at random, at which the cut comes.
const CUT_WITHIN_MS: u64 = 80;
/// Pieces of every product at the start.
const RECEIVED: i64 = 100_000;
/// The image's size; it is sparse, so only what is written takes room.
const IMAGE_BYTES: u64 = 1 << 30;

/// A mounted ext4 image; dropped, it is unmounted.
struct Disk {
    image: PathBuf,
    mount: PathBuf,
}

impl Disk {
    /// A new file system, or why this machine can't make one.
    fn make(folder: &Path) -> Result<Self, String> {
        let image = folder.join("disk-0.img");
        let file = std::fs::File::create(&image).map_err(|error| error.to_string())?;
        file.set_len(IMAGE_BYTES).map_err(|error| error.to_string())?;
        tool(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(&image))?;
        Self::mount(image, folder.join("mount-0"))
    }

    fn mount(image: PathBuf, mount: PathBuf) -> Result<Self, String> {
        std::fs::create_dir_all(&mount).map_err(|error| error.to_string())?;
        // Long commits keep the kernel from writing of its own accord while the image is copied.
        tool(Command::new("mount").args(["-o", "loop,commit=300"]).arg(&image).arg(&mount))?;
        Ok(Self { image, mount })
    }

    /// A copy of the disk as a cut now would leave it; the daemon is frozen meanwhile. The kernel is not:
    /// a copy during which it wrote is no picture of one moment, and is taken again.
    fn copy(&self, folder: &Path, n: usize) -> PathBuf {
        let copy = folder.join(format!("disk-{n}.img"));
        wait::until("a picture of one moment", || {
            tool(Command::new("cp").arg("--sparse=always").arg(&self.image).arg(&copy)).unwrap();
            tool(Command::new("cmp").arg("--silent").arg(&self.image).arg(&copy)).ok()
        });
        copy
    }

    /// Throws this disk away, with all that the page cache still held, and mounts `copy`.
    fn replaced_by(self, copy: PathBuf, folder: &Path, n: usize) -> Self {
        let old = self.image.clone();
        drop(self);
        std::fs::remove_file(old).unwrap();
        Self::mount(copy, folder.join(format!("mount-{n}"))).unwrap()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if tool(Command::new("umount").arg(&self.mount)).is_err() {
            let _ = tool(Command::new("umount").arg("--lazy").arg(&self.mount));
        }
    }
}

fn tool(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

#[test]
fn ten_power_cuts_lose_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut disk = match Disk::make(folder.path()) {
        Ok(disk) => disk,
        Err(reason) => {
            println!("power: NOT RUN, this machine can't mount a loop image: {reason}");
            return;
        }
    };
    let mut random = Random::announced("power");
    let settings = tempfile::tempdir().unwrap();
    let mut store = Store::prepare_at(settings, disk.mount.join("data"), "", TILLS);
    store.start();
    store.receive_all(RECEIVED);
    let load = Load::start((1..=TILLS).map(|n| Till::open(&store, n, &mut random)).collect());
    for n in 1..=CUTS {
        load.wait_for(SALES_BETWEEN);
        let moment = Instant::now() + Duration::from_millis(random.below(CUT_WITHIN_MS));
        wait::until("the moment of the cut", || (Instant::now() >= moment).then_some(()));
        store.daemon().freeze();
        let copy = disk.copy(folder.path(), n);
        store.kill9();
        disk = disk.replaced_by(copy, folder.path(), n);
        store.move_data(disk.mount.join("data"));
        store.start();
    }
    load.wait_for(SALES_BETWEEN);
    let mut tills = load.finish();
    audit::audit(&store, &mut tills, RECEIVED);
    let sold: usize = tills.iter().map(|till| till.sold.len()).sum();
    println!("power: {CUTS} cuts, {sold} sales, nothing lost");
    store.stop();
    store.verify();
    drop(store);
    drop(disk);
}

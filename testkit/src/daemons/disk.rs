//! A disk that can be frozen and whose power can be cut: an ext4 image on a loop device. A copy of the image's backing
//! file has everything that the device received and nothing of the page cache, as after a power cut.

use crate::wait;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The image's size; it is sparse, so only written blocks take space. All of it is read when a copy is compared.
const IMAGE_BYTES: u64 = 512 << 20;

/// A mounted ext4 image; dropped, it is unmounted.
pub struct Disk {
    image: PathBuf,
    pub mount: PathBuf,
}

impl Disk {
    /// A new file system, or why this machine can't make one.
    pub fn make(folder: &Path) -> Result<Self, String> {
        Self::make_sized(folder, IMAGE_BYTES)
    }

    /// Does the same with space for this many bytes.
    pub fn make_sized(folder: &Path, bytes: u64) -> Result<Self, String> {
        let image = folder.join("disk-0.img");
        let file = std::fs::File::create(&image).map_err(|error| error.to_string())?;
        file.set_len(bytes).map_err(|error| error.to_string())?;
        tool(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(&image))?;
        Self::mount(image, folder.join("mount-0"))
    }

    fn mount(image: PathBuf, mount: PathBuf) -> Result<Self, String> {
        std::fs::create_dir_all(&mount).map_err(|error| error.to_string())?;
        // A long commit interval keeps the kernel from writing while the image is copied.
        tool(Command::new("mount").args(["-o", "loop,commit=300"]).arg(&image).arg(&mount))?;
        Ok(Self { image, mount })
    }

    /// Blocks all writes until it is thawed.
    pub fn freeze(&self) -> Result<(), String> {
        tool(Command::new("fsfreeze").arg("--freeze").arg(&self.mount))
    }

    pub fn thaw(&self) -> Result<(), String> {
        tool(Command::new("fsfreeze").arg("--unfreeze").arg(&self.mount))
    }

    /// Copies the disk as after a power cut now, while the daemon is frozen. The kernel may still write; such a copy is
    /// not consistent and is repeated.
    pub fn copy(&self, folder: &Path, n: usize) -> PathBuf {
        let copy = folder.join(format!("disk-{n}.img"));
        wait::until("a consistent copy", || {
            tool(Command::new("cp").arg("--sparse=always").arg(&self.image).arg(&copy)).unwrap();
            tool(Command::new("cmp").arg("--silent").arg(&self.image).arg(&copy)).ok()
        });
        copy
    }

    /// Throws this disk away, with the contents of the page cache, and mounts `copy`.
    pub fn replaced_by(self, copy: PathBuf, folder: &Path, n: usize) -> Self {
        let old = self.image.clone();
        drop(self);
        std::fs::remove_file(old).unwrap();
        Self::mount(copy, folder.join(format!("mount-{n}"))).unwrap()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A frozen file system can't be unmounted. Thawing one that is not frozen fails without harm.
        let _ = self.thaw();
        if tool(Command::new("umount").arg(&self.mount)).is_err() {
            let _ = tool(Command::new("umount").arg("--lazy").arg(&self.mount));
        }
    }
}

/// A mounted file system of a fixed size, in memory; dropped, it is unmounted.
pub struct SmallDisk(pub PathBuf);

impl SmallDisk {
    /// Mounts an empty one, or returns why this machine can't.
    pub fn make(folder: &Path, bytes: u64) -> Result<Self, String> {
        let mount = folder.join("small");
        std::fs::create_dir_all(&mount).map_err(|error| error.to_string())?;
        let size = format!("size={bytes}");
        tool(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&mount))?;
        Ok(Self(mount))
    }

    /// Uses all space that is left.
    pub fn fill(&self) {
        let mut file = std::fs::File::options().create(true).append(true).open(self.filler()).unwrap();
        while std::io::Write::write(&mut file, &[1; 4096]).is_ok() {}
    }

    /// Releases that space.
    pub fn empty(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = tool(Command::new("umount").arg("--lazy").arg(&self.0));
    }
}

fn tool(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

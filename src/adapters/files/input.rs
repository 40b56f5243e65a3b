//! What to read: files, folders, standard input, text.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Endings of the files of a folder that are read; each also with `.gz` behind it.
const ENDINGS: [&str; 5] = ["yaml", "yml", "json", "ndjson", "jsonl"];
/// Deepest folder below the one that was named. Links to folders are not followed, so this ends only what is absurd.
const DEPTH_LIMIT: usize = 64;

/// One thing to read, as often as needed.
#[derive(Debug, Clone)]
pub struct Input {
    name: Arc<str>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    File(PathBuf),
    /// What arrived on a stream, kept on disk so that it can be read again.
    Spooled(Arc<fs::File>),
    Text(Arc<[u8]>),
}

/// An input that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It cannot be read.
    #[error("cannot read {name}")]
    Unreadable {
        /// What the user named.
        name: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A folder without manifests.
    #[error(
        "{name} has no manifests: files that end with .yaml, .yml, .json, .ndjson or .jsonl, or with .gz after that"
    )]
    Empty {
        /// The folder.
        name: String,
    },
}

/// Which files of a folder are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// Those of the folder and of all folders in it.
    Whole,
    /// Those of the folder itself.
    Flat,
}

impl Input {
    /// A text.
    pub fn text(name: &str, text: String) -> Self {
        Self {
            name: name.into(),
            content: Content::Text(text.into_bytes().into()),
        }
    }

    /// Everything that arrives on a stream until it ends, kept in an unnamed file.
    ///
    /// # Errors
    /// [`InputError::Unreadable`] when reading the stream or writing the file fails.
    pub fn spooled(name: &str, stream: &mut dyn Read) -> Result<Self, InputError> {
        let mut spool = || -> io::Result<fs::File> {
            let mut file = tempfile::tempfile()?;
            io::copy(stream, &mut file)?;
            file.flush()?;
            file.seek(SeekFrom::Start(0))?;
            Ok(file)
        };
        let file = spool().map_err(|source| unreadable(name, source))?;
        Ok(Self {
            name: name.into(),
            content: Content::Spooled(Arc::new(file)),
        })
    }

    /// A file, or the manifests of a folder in the order of their names.
    ///
    /// Files and folders whose names begin with a dot are left out, and links to folders are not followed; a file that
    /// is named itself is read whatever it is called. What gives its bytes only once, such as a named pipe, is kept as
    /// in [`Input::spooled`].
    ///
    /// # Errors
    /// [`InputError`]
    pub fn path(path: &Path, folders: Folders) -> Result<Vec<Self>, InputError> {
        let name = path.display().to_string();
        let metadata = fs::metadata(path).map_err(|source| unreadable(&name, source))?;
        if metadata.is_file() {
            return Ok(vec![Self::file(path.to_owned())]);
        }
        if !metadata.is_dir() {
            let mut stream = fs::File::open(path).map_err(|source| unreadable(&name, source))?;
            return Ok(vec![Self::spooled(&name, &mut stream)?]);
        }
        let mut files = Vec::new();
        let depth = match folders {
            Folders::Whole => DEPTH_LIMIT,
            Folders::Flat => 0,
        };
        walk(path, depth, &mut files)?;
        if files.is_empty() {
            return Err(InputError::Empty { name });
        }
        files.sort();
        Ok(files.into_iter().map(Self::file).collect())
    }

    fn file(path: PathBuf) -> Self {
        Self {
            name: path.display().to_string().into(),
            content: Content::File(path),
        }
    }

    /// What the user knows it as.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Its size, as far as is known; compressed if it is.
    pub fn bytes(&self) -> u64 {
        match &self.content {
            Content::File(path) => fs::metadata(path).map_or(0, |metadata| metadata.len()),
            Content::Spooled(file) => file.metadata().map_or(0, |metadata| metadata.len()),
            Content::Text(text) => text.len() as u64,
        }
    }

    /// Opens it from its beginning; `progress` counts the bytes that are read.
    ///
    /// # Errors
    /// The file's.
    pub(super) fn open(&self, progress: Arc<AtomicU64>) -> io::Result<Box<dyn Read + Send>> {
        let inner: Box<dyn Read + Send> = match &self.content {
            Content::File(path) => Box::new(fs::File::open(path)?),
            Content::Spooled(file) => Box::new(Positioned(file.clone(), 0)),
            Content::Text(text) => Box::new(io::Cursor::new(text.clone())),
        };
        Ok(Box::new(Counted { inner, progress }))
    }
}

/// A file that others read at the same time.
struct Positioned(Arc<fs::File>, u64);

impl Read for Positioned {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.read_at(buffer, self.1)?;
        self.1 += bytes as u64;
        Ok(bytes)
    }
}

struct Counted {
    inner: Box<dyn Read + Send>,
    progress: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        self.progress.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

fn unreadable(name: &str, source: io::Error) -> InputError {
    InputError::Unreadable {
        name: name.to_owned(),
        source,
    }
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), InputError> {
    let failed = |source| unreadable(&folder.display().to_string(), source);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        if kind.is_dir() {
            if depth > 0 {
                walk(&path, depth - 1, files)?;
            }
        } else if is_manifest(&path) && (kind.is_file() || path.is_file()) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_manifest(path: &Path) -> bool {
    let ending = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
    let plain = match ending(path) {
        Some(ending) if ending == "gz" => path.with_extension(""),
        _ => path.to_owned(),
    };
    ending(&plain).is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

//! Real memcached servers on this machine, and a client that speaks as much of the text protocol as
//! is needed.

use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::fleet::Fleet;

/// How long a server may take to start, and an answer to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// What can go wrong with memcached.
#[derive(Debug, thiserror::Error)]
pub enum MemcachedError {
    /// The program is not there.
    #[error("there is no program {}; install the Debian package memcached, or give --memcached PATH", path.display())]
    Absent {
        /// What was looked for.
        path: PathBuf,
    },
    /// The program is another one.
    #[error("{} is not memcached: asked for its version, it said {said:?}; give --memcached the path of one", path.display())]
    Other {
        /// The program.
        path: PathBuf,
        /// What it said.
        said: String,
    },
    /// A server could not be started.
    #[error("cannot start {}: {problem}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// What it said, or what failed.
        problem: String,
    },
    /// The connection failed, or no answer came in time.
    #[error("memcached at {server} does not answer: {source}")]
    Silent {
        /// The server.
        server: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// An answer that the protocol does not allow there.
    #[error(
        "memcached at {server} answered {answer:?} to {command:?}, where {wanted} was expected"
    )]
    Surprise {
        /// The server.
        server: SocketAddr,
        /// What was asked.
        command: &'static str,
        /// What would have been right.
        wanted: &'static str,
        /// What came instead.
        answer: String,
    },
}

/// The program memcached.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    /// What it says of itself, such as "memcached 1.6.18".
    pub version: String,
}

impl Program {
    /// The program at this path, or of this name where there is no slash in it.
    ///
    /// # Errors
    /// When there is none, or it is not memcached.
    pub fn find(path: impl Into<PathBuf>) -> Result<Self, MemcachedError> {
        let path = path.into();
        let output = match Command::new(&path).arg("-V").stdin(Stdio::null()).output() {
            Ok(output) => output,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(MemcachedError::Absent { path });
            }
            Err(error) => {
                let problem = error.to_string();
                return Err(MemcachedError::Start { path, problem });
            }
        };
        let said = String::from_utf8_lossy(&output.stdout);
        let said = said.lines().next().unwrap_or_default().trim().to_owned();
        match said.starts_with("memcached ") {
            true => Ok(Self {
                path,
                version: said,
            }),
            false => Err(MemcachedError::Other { path, said }),
        }
    }
}

/// A running server, which ends with this value.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    shell: Child,
    _files: TempDir,
}

/// Waits for the end of its input, which comes when the program that started it has ended in
/// whatever way, and then kills the server: asked kindly, it takes up to a second.
const KEEPER: &str = r#""$@" & read -r _; kill -9 $!; wait"#;

impl Server {
    /// Starts a server with so many megabytes on a free port of the loopback interface.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn start(program: &Program, megabytes: u32) -> Result<Self, MemcachedError> {
        let failed = |problem: String| MemcachedError::Start {
            path: program.path.clone(),
            problem,
        };
        let io = |error: io::Error| failed(error.to_string());
        let files = TempDir::new().map_err(io)?;
        // The server writes its port there, as another user where root started it.
        #[cfg(unix)]
        fs::set_permissions(
            files.path(),
            std::os::unix::fs::PermissionsExt::from_mode(0o777),
        )
        .map_err(io)?;
        let (port, said) = (files.path().join("port"), files.path().join("said"));
        let megabytes = megabytes.to_string();
        let shell = Command::new("sh")
            .args(["-c", KEEPER, "sh"])
            .arg(&program.path)
            .args(["-l", "127.0.0.1", "-p", "-1", "-U", "0", "-t", "1"])
            // Only heeded where root starts it, which it refuses otherwise.
            .args(["-u", "nobody", "-m", &megabytes])
            .env("MEMCACHED_PORT_FILENAME", &port)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&said).map_err(io)?)
            .spawn()
            .map_err(io)?;
        let mut server = Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            shell,
            _files: files,
        };
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let written = fs::read_to_string(&port).unwrap_or_default();
            if let Some(number) = written.lines().find_map(|l| l.strip_prefix("TCP INET: ")) {
                let number = number.trim().parse();
                let number =
                    number.map_err(|_| failed(format!("it wrote {written:?} for a port")))?;
                server.address.set_port(number);
                return Ok(server);
            }
            thread::sleep(Duration::from_millis(5));
        }
        let said = fs::read_to_string(&said).unwrap_or_default();
        Err(failed(format!(
            "no port after {} s; it said {:?}",
            PATIENCE.as_secs(),
            said.trim()
        )))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // Nothing can be done here if waiting fails.
        let _ = self.shell.wait();
    }
}

/// A connection to one server.
#[derive(Debug)]
pub struct Client {
    server: SocketAddr,
    reader: BufReader<TcpStream>,
    writer: BufWriter<TcpStream>,
    line: Vec<u8>,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// When nobody listens there.
    pub fn connect(server: SocketAddr) -> Result<Self, MemcachedError> {
        let connect = || {
            let stream = TcpStream::connect_timeout(&server, PATIENCE)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok((stream.try_clone()?, stream))
        };
        let (reading, writing) =
            connect().map_err(|source| MemcachedError::Silent { server, source })?;
        Ok(Self {
            server,
            reader: BufReader::new(reading),
            writer: BufWriter::new(writing),
            line: Vec::new(),
        })
    }

    fn silent(&self, source: io::Error) -> MemcachedError {
        MemcachedError::Silent {
            server: self.server,
            source,
        }
    }

    fn surprise(&self, command: &'static str, wanted: &'static str) -> MemcachedError {
        MemcachedError::Surprise {
            server: self.server,
            command,
            wanted,
            answer: String::from_utf8_lossy(&self.line).into_owned(),
        }
    }

    fn send(&mut self, text: &str) -> Result<(), MemcachedError> {
        let written = self.writer.write_all(text.as_bytes());
        let flushed = written.and_then(|()| self.writer.flush());
        flushed.map_err(|source| self.silent(source))
    }

    /// Reads a line, without its end, into `line`.
    fn receive(&mut self) -> Result<(), MemcachedError> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        match read.map_err(|source| self.silent(source))? {
            0 => Err(self.silent(io::ErrorKind::UnexpectedEof.into())),
            _ => {
                let end = self.line.trim_ascii_end().len();
                self.line.truncate(end);
                Ok(())
            }
        }
    }

    /// Whether there is an object of this key; it must have so many bytes.
    ///
    /// # Errors
    /// When the server does not answer as it should.
    pub fn get(&mut self, key: &str, bytes: usize) -> Result<bool, MemcachedError> {
        self.send(&format!("get {key}\r\n"))?;
        self.receive()?;
        if self.line == b"END" {
            return Ok(false);
        }
        if self.line != format!("VALUE {key} 0 {bytes}").as_bytes() {
            return Err(self.surprise("get", "VALUE with the key and the size, or END"));
        }
        self.line.resize(bytes + 2, 0);
        let read = self.reader.read_exact(&mut self.line);
        read.map_err(|source| self.silent(source))?;
        self.receive()?;
        match &*self.line {
            b"END" => Ok(true),
            _ => Err(self.surprise("get", "END after the object")),
        }
    }

    /// Stores an object.
    ///
    /// # Errors
    /// When the server does not answer as it should.
    pub fn set(&mut self, key: &str, object: &str) -> Result<(), MemcachedError> {
        self.send(&format!("set {key} 0 0 {}\r\n{object}\r\n", object.len()))?;
        self.receive()?;
        match &*self.line {
            b"STORED" => Ok(()),
            _ => Err(self.surprise("set", "STORED")),
        }
    }

    /// Stores an object without waiting for an answer.
    ///
    /// # Errors
    /// When the connection is broken.
    pub fn put(&mut self, key: &str, object: &str) -> Result<(), MemcachedError> {
        let bytes = object.len();
        let written = write!(self.writer, "set {key} 0 0 {bytes} noreply\r\n{object}\r\n");
        written.map_err(|source| self.silent(source))
    }

    /// Waits until everything that was sent is done.
    ///
    /// # Errors
    /// When the server complains.
    pub fn settle(&mut self) -> Result<(), MemcachedError> {
        self.send("version\r\n")?;
        self.receive()?;
        match self.line.starts_with(b"VERSION ") {
            true => Ok(()),
            false => Err(self.surprise("version", "VERSION")),
        }
    }

    /// A count among the server's statistics.
    ///
    /// # Errors
    /// When it is not there.
    pub fn count(&mut self, name: &str) -> Result<u64, MemcachedError> {
        self.send("stats\r\n")?;
        let mut count = None;
        loop {
            self.receive()?;
            let line = String::from_utf8_lossy(&self.line);
            let mut words = line.split(' ');
            match [words.next(), words.next(), words.next()] {
                [Some("STAT"), Some(known), Some(value)] if known == name => {
                    count = value.parse().ok();
                }
                [Some("STAT"), ..] => {}
                [Some("END"), ..] => break,
                _ => return Err(self.surprise("stats", "STAT or END")),
            }
        }
        count.ok_or_else(|| self.surprise("stats", "the count among the statistics"))
    }
}

/// One real server per node.
pub struct Servers {
    // Connections close before their servers end.
    clients: Vec<Client>,
    _servers: Vec<Server>,
    object: String,
    misses: u64,
}

impl Servers {
    /// Starts so many servers, for objects of so many bytes.
    ///
    /// # Errors
    /// When one does not come up.
    pub fn start(
        program: &Program,
        nodes: usize,
        megabytes: u32,
        bytes: usize,
    ) -> Result<Self, MemcachedError> {
        let servers = (0..nodes).map(|_| Server::start(program, megabytes));
        let servers = servers.collect::<Result<Vec<_>, _>>()?;
        let clients = servers.iter().map(|server| Client::connect(server.address));
        Ok(Self {
            clients: clients.collect::<Result<_, _>>()?,
            _servers: servers,
            object: "x".repeat(bytes),
            misses: 0,
        })
    }

    /// The sum of a count over all servers.
    ///
    /// # Errors
    /// When a server does not tell it.
    pub fn count(&mut self, name: &str) -> Result<u64, MemcachedError> {
        self.clients
            .iter_mut()
            .map(|client| client.count(name))
            .sum()
    }
}

/// What memcached calls the key at this position: its own bytes may hold blanks or be too many.
fn name(key: u32) -> String {
    format!("k{key}")
}

impl Fleet for Servers {
    type Error = MemcachedError;

    fn get(&mut self, node: usize, key: u32) -> Result<bool, MemcachedError> {
        self.clients[node].get(&name(key), self.object.len())
    }

    fn set(&mut self, node: usize, key: u32) -> Result<(), MemcachedError> {
        self.clients[node].set(&name(key), &self.object)
    }

    fn miss(&mut self, node: usize) -> Result<(), MemcachedError> {
        self.misses += 1;
        let client = &mut self.clients[node];
        match client.get(&format!("once{}", self.misses), 0)? {
            false => Ok(()),
            true => Err(client.surprise("get", "END, since it was never stored")),
        }
    }

    fn fill(&mut self, owners: &[usize], keys: &[u32]) -> Result<(), MemcachedError> {
        for &key in keys {
            self.clients[owners[key as usize]].put(&name(key), &self.object)?;
        }
        self.clients.iter_mut().try_for_each(Client::settle)
    }
}

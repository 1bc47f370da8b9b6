//! Real memcached servers: they give what the simulation gives, and none is left behind.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use algorithms::registry;
use common::call;
use harness::hits::memcached::{Client, MemcachedError, Program, Server, Servers};
use harness::hits::{Fleet, Hits, TOLERANCE, play, probe};

fn program() -> Program {
    Program::find("memcached").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_server_remembers_what_it_was_given() {
    let server = Server::start(&program(), 64).unwrap();
    let mut client = Client::connect(server.address).unwrap();
    assert!(!client.get("a", 3).unwrap());
    client.set("a", "xyz").unwrap();
    client.put("b", "xyz").unwrap();
    client.settle().unwrap();
    assert!(client.get("a", 3).unwrap() && client.get("b", 3).unwrap());
    assert_eq!(client.count("curr_items").unwrap(), 2);
    let error = client.count("no_such_count").unwrap_err();
    assert!(matches!(error, MemcachedError::Surprise { .. }), "{error}");
}

fn answers(address: SocketAddr) -> bool {
    TcpStream::connect(address).is_ok()
}

#[test]
fn servers_end_with_their_value_also_in_a_panic() {
    let server = Server::start(&program(), 64).unwrap();
    let first = server.address;
    assert!(answers(first));
    drop(server);
    assert!(!answers(first));
    let mut second = None;
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let server = Server::start(&program(), 64).unwrap();
        second = Some(server.address);
        panic!("on purpose");
    }));
    assert!(panic.is_err() && !answers(second.unwrap()));
}

#[test]
fn requests_hit_where_their_owners_are() {
    let mut servers = Servers::start(&program(), 2, 64, 10).unwrap();
    servers.fill(&[0, 1, 0], &[0, 1]).unwrap();
    let requests = [Some(0), Some(1), Some(2), Some(2), None];
    assert_eq!(probe(&mut servers, &[0, 1, 0], &requests).unwrap(), 2);
    assert_eq!(play(&mut servers, &[0, 1, 0], &requests).unwrap(), 3);
    assert_eq!(probe(&mut servers, &[1, 1, 0], &requests).unwrap(), 3);
    assert_eq!(servers.count("evictions").unwrap(), 0);
}

#[test]
fn real_servers_give_the_rates_of_simulated_caches() {
    let arguments = [
        "hits",
        "--quick",
        "--nodes",
        "3",
        "--keys",
        "8000",
        "--windows",
        "10",
        "--format",
        "json",
        "--memcached",
        "auto",
    ];
    let (code, stdout, stderr) = call(&arguments, "");
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    let hits: Hits = serde_json::from_str(&stdout).unwrap();
    assert!(hits.settings.memcached.unwrap().starts_with("memcached "));
    assert_eq!(hits.memcached.len(), 2 * registry::ALL.len());
    for real in &hits.memcached {
        assert!(real.agrees, "{real:?}");
        match real.objects {
            None => {
                assert_eq!(real.measured, real.simulated, "{real:?}");
                assert_eq!((real.evictions, real.tolerance), (0, 0.0));
            }
            Some(_) => {
                assert!(
                    real.evictions > 0 && real.difference.abs() <= TOLERANCE,
                    "{real:?}"
                );
            }
        }
    }
    let straight = |name: &str| {
        let mut ample = hits.memcached.iter().filter(|real| real.objects.is_none());
        ample
            .find(|real| real.algorithm == name)
            .unwrap()
            .measured
            .straight
    };
    assert!(straight("mod-n") < 0.45 && straight("rendezvous") > 0.55);
}

#[test]
fn without_memcached_the_command_says_what_to_install() {
    let (code, stdout, stderr) = call(&["hits", "--memcached", "no/such/memcached"], "");
    assert_eq!((code, &*stdout), (1, ""));
    let words = "there is no program no/such/memcached; install the Debian package memcached, or give --memcached PATH";
    assert!(stderr.contains(words), "{stderr}");
    let (code, stdout, stderr) = call(&["hits", "--memcached", "true"], "");
    assert_eq!((code, &*stdout), (1, ""));
    assert!(stderr.contains("true is not memcached"), "{stderr}");
}

/// A server that gives this answer to whatever comes first, and then hangs up.
fn impostor(answer: &'static str) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 5]).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        // What came beyond is read, or hanging up would cut the answer off.
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    Client::connect(address).unwrap()
}

#[test]
fn surprises_of_the_protocol_are_told_with_what_was_asked() {
    for (answer, words) in [
        ("ERROR\r\n", "answered \"ERROR\" to \"get\""),
        ("VALUE b 0 3\r\nxyz\r\nEND\r\n", "VALUE b 0 3"),
        ("VALUE a 0 4\r\nwxyz\r\nEND\r\n", "VALUE a 0 4"),
        ("VALUE a 0 3\r\nxyz\r\nVALUE", "END after the object"),
        ("VALUE a 0 3\r\nx", "does not answer"),
        ("", "does not answer"),
    ] {
        let error = impostor(answer).get("a", 3).unwrap_err().to_string();
        assert!(error.contains(words), "{answer:?}: {error}");
    }
    let error = impostor("SERVER_ERROR out of memory storing object\r\n").set("a", "x");
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("STORED was expected")
    );
    let error = impostor("NOT_STORED\r\n").settle();
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("VERSION was expected")
    );
}

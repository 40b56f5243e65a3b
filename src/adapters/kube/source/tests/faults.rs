//! What a source does when the API server misbehaves.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kollect_ports::source::SourceFailure::{Forbidden, NotServed, Unavailable};
use kollect_ports::source::{ObjectEvent, SourceEvent};
use serde_json::json;
use tokio::time::Instant;

use super::peer::Short::{Failed, Gone, ListDone, ListStarted, Resumed, Seen, Undecodable};
use super::peer::{Peer, bookmark, event, list, pod, status};

#[tokio::test(start_paused = true)]
async fn pages_are_read_to_the_end_and_watched_from_the_first_ones_version() {
    let mut peer = Peer::new();
    let mut source = peer.source();
    let first = peer.asked_to_list().await;
    assert_eq!(first.request.uri().path(), "/api/v1/pods");
    assert_eq!(first.query("limit").as_deref(), Some("500"));
    assert_eq!(first.query("labelSelector").as_deref(), Some("app+in+%28a%2Cb%29"));
    assert_eq!(first.query("resourceVersion"), None, "the list must be consistent");
    first.answer(200, list(&["a", "b"], "7", "next"));
    let second = peer.asked_to_list().await;
    assert_eq!(second.query("continue").as_deref(), Some("next"));
    second.answer(200, list(&["c"], "8", ""));
    let watch = peer.asked_to_watch("7").await;
    assert_eq!(watch.query("allowWatchBookmarks").as_deref(), Some("true"));
    assert_eq!(watch.query("labelSelector").as_deref(), Some("app+in+%28a%2Cb%29"));
    assert_eq!(watch.request.headers()["accept-encoding"], "identity");
    source
        .expect(&[ListStarted, Seen("a"), Seen("b"), Seen("c"), ListDone])
        .await;
}

#[tokio::test(start_paused = true)]
async fn items_get_the_names_that_lists_leave_out() {
    let mut peer = Peer::new();
    let mut source = peer.source();
    peer.asked_to_list().await.answer(200, list(&["a"], "7", ""));
    assert_eq!(source.next().await, SourceEvent::ListStarted);
    let SourceEvent::Objects(objects) = source.next().await else {
        panic!("no objects");
    };
    let [ObjectEvent::Seen(object)] = &objects[..] else {
        panic!("{objects:?}");
    };
    assert_eq!(object.value["apiVersion"], json!("v1"));
    assert_eq!(object.value["kind"], json!("Pod"));
    assert_eq!((&*object.namespace, &*object.name), ("ns", "a"));
}

#[tokio::test(start_paused = true)]
async fn a_page_token_that_expired_begins_the_list_again() {
    let mut peer = Peer::new();
    let mut source = peer.source();
    peer.asked_to_list().await.answer(200, list(&["a", "b"], "7", "next"));
    peer.asked_to_list().await.answer(410, status(410));
    let again = peer.asked_to_list().await;
    assert_eq!(again.query("continue"), None);
    again.answer(200, list(&["a"], "9", ""));
    peer.asked_to_watch("9").await;
    source
        .expect(&[ListStarted, Seen("a"), Seen("b"), ListStarted, Seen("a"), ListDone])
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_keeps_expiring_is_asked_for_in_one_piece() {
    let mut peer = Peer::new();
    let _source = peer.source();
    for _ in 0..2 {
        let first = peer.asked_to_list().await;
        assert!(first.query("limit").is_some());
        first.answer(200, list(&["a"], "7", "next"));
        peer.asked_to_list().await.answer(410, status(410));
    }
    assert_eq!(peer.asked_to_list().await.query("limit"), None);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_stalls_for_thirty_seconds_is_given_up_and_begun_again() {
    let mut peer = Peer::new();
    let mut source = peer.source();
    let feed = peer.asked_to_list().await.stream();
    let body = list(&["a"], "7", "");
    let began = Instant::now();
    feed.send(body[..body.len() / 2].to_owned()).await;
    source.expect(&[ListStarted, Failed(Unavailable)]).await;
    assert_eq!(began.elapsed().as_secs(), 30);
    feed.hung_up().await;
    peer.asked_to_list().await.answer(200, body);
    source.expect(&[ListStarted, Seen("a"), ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_cut_short_is_no_list() {
    let mut peer = Peer::new();
    let mut source = peer.source();
    let body = list(&["a", "b"], "7", "");
    peer.asked_to_list()
        .await
        .answer(200, body[..body.len() - 3].to_owned());
    source.expect(&[ListStarted, Failed(Unavailable)]).await;
    peer.asked_to_list().await.answer(200, body);
    source.expect(&[ListStarted, Seen("a"), Seen("b"), ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_when_to_come_back_is_obeyed() {
    let mut peer = Peer::new();
    let mut source = peer.source();
    let busy = peer.asked_to_list().await;
    let answered = Instant::now();
    busy.answer_with(429, &[("retry-after", "17")], status(429));
    source.expect(&[Failed(Unavailable)]).await;
    peer.asked_to_list().await.answer(200, list(&[], "7", ""));
    assert!(answered.elapsed() >= Duration::from_secs(17));
    source.expect(&[ListStarted, ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_reported_once() {
    let mut peer = Peer::new();
    let mut source = peer.source();
    for _ in 0..5 {
        peer.asked_to_list().await.answer(500, status(500));
    }
    source.expect(&[Failed(Unavailable)]).await;
    peer.asked_to_list().await.answer(200, list(&[], "7", ""));
    source.expect(&[ListStarted, ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn events_that_arrive_together_are_handed_on_together() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    let together = event("ADDED", &pod("b", "8")) + &event("DELETED", &pod("a", "9"));
    feed.send(together).await;
    let SourceEvent::Objects(objects) = source.next().await else {
        panic!("no objects");
    };
    assert_eq!(objects.len(), 2, "{objects:?}");
}

#[tokio::test(start_paused = true)]
async fn an_event_is_handed_on_without_waiting_for_another() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    let sent = Instant::now();
    feed.send(event("MODIFIED", &pod("a", "8"))).await;
    source.expect(&[Seen("a")]).await;
    assert_eq!(sent.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn an_event_may_carry_its_object_before_its_type() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    feed.send(format!("{{\"object\":{},\"type\":\"DELETED\"}}\n", pod("a", "8")))
        .await;
    source.expect(&[Gone("a")]).await;
    drop(feed);
    peer.asked_to_watch("8").await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_decoded_is_reported_as_existing_and_its_deletion_as_a_deletion() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    let deep = |version: &str| {
        let nested = format!("{}{}", "[".repeat(300), "]".repeat(300));
        format!(
            r#"{{"metadata":{{"uid":"a","name":"a","resourceVersion":"{version}"}},"spec":{nested},"data":{nested}}}"#
        )
    };
    feed.send(event("MODIFIED", &deep("8"))).await;
    source.expect(&[Undecodable("a")]).await;
    feed.send(event("DELETED", &deep("9"))).await;
    source.expect(&[Gone("a")]).await;
    drop(feed);
    peer.asked_to_watch("9").await;
}

#[tokio::test(start_paused = true)]
async fn an_object_without_uid_is_skipped_and_the_watch_goes_on() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    let anonymous = r#"{"metadata":{"name":"x","resourceVersion":"8"}}"#;
    feed.send(event("ADDED", anonymous) + &event("ADDED", &pod("b", "9")))
        .await;
    source.expect(&[Seen("b")]).await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_the_server_closes_goes_on_from_the_last_bookmark_without_a_word() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    feed.send(event("ADDED", &pod("b", "8"))).await;
    source.expect(&[Seen("b")]).await;
    feed.send(bookmark("20")).await;
    drop(feed);
    let feed = peer.asked_to_watch("20").await.stream();
    feed.send(event("ADDED", &pod("c", "21"))).await;
    source.expect(&[Seen("c")]).await;
}

#[tokio::test(start_paused = true)]
async fn an_error_event_of_an_expired_version_lists_again() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    feed.send(event("MODIFIED", &pod("a", "8")) + &event("ERROR", &status(410)))
        .await;
    peer.asked_to_list().await.answer(200, list(&["z"], "30", ""));
    source.expect(&[Seen("a"), ListStarted, Seen("z"), ListDone]).await;
    peer.asked_to_watch("30").await;
}

#[tokio::test(start_paused = true)]
async fn another_error_event_backs_off_and_goes_on_from_the_same_version() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    feed.send(event("ERROR", &status(500))).await;
    source.expect(&[Failed(Unavailable)]).await;
    let feed = peer.asked_to_watch("7").await.stream();
    source.expect(&[Resumed]).await;
    feed.send(event("ADDED", &pod("b", "8"))).await;
    source.expect(&[Seen("b")]).await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_version_that_expired_while_the_server_was_away_lists_again() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    drop(feed);
    peer.asked_to_watch("7").await.answer(503, status(503));
    source.expect(&[Failed(Unavailable)]).await;
    peer.asked_to_watch("7").await.answer(410, status(410));
    peer.asked_to_list().await.answer(200, list(&["a"], "40", ""));
    source.expect(&[ListStarted, Seen("a"), ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_watch_is_not_trusted_and_lists_again() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    let began = Instant::now();
    for minute in 1..=5 {
        tokio::time::sleep(Duration::from_mins(1)).await;
        feed.send(bookmark(&format!("1{minute}"))).await;
    }
    assert!(source.is_quiet_for(Duration::from_secs(170)).await);
    peer.asked_to_list().await.answer(200, list(&["a"], "30", ""));
    assert_eq!(began.elapsed().as_secs() / 60, 8);
    feed.hung_up().await;
    source.expect(&[ListStarted, Seen("a"), ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_back_to_an_older_version_is_listed_again() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    feed.send(bookmark("20")).await;
    feed.send(bookmark("19")).await;
    peer.asked_to_list().await.answer(200, list(&["a"], "19", ""));
    source.expect(&[ListStarted, Seen("a"), ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn text_that_is_no_event_is_reported_and_listed_around() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    feed.send("no event\n").await;
    source.expect(&[Failed(Unavailable)]).await;
    peer.asked_to_list().await.answer(200, list(&["a"], "9", ""));
    source.expect(&[ListStarted, Seen("a"), ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn an_event_without_end_is_given_up() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    let piece = "x".repeat(1 << 20);
    for _ in 0..17 {
        feed.send(piece.clone()).await;
    }
    source.expect(&[Failed(Unavailable)]).await;
    feed.hung_up().await;
}

#[tokio::test(start_paused = true)]
async fn withdrawn_rights_close_the_watch_and_restored_ones_resume_it() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    let withdrawn = Instant::now();
    peer.allowed.store(false, Ordering::SeqCst);
    source.expect(&[Failed(Forbidden)]).await;
    assert!(withdrawn.elapsed() <= Duration::from_secs(12));
    feed.hung_up().await;
    assert!(
        peer.is_quiet_for(Duration::from_mins(1)).await,
        "a denied watch must not be opened"
    );
    let restored = Instant::now();
    peer.allowed.store(true, Ordering::SeqCst);
    peer.asked_to_watch("7").await.stream();
    assert!(restored.elapsed() <= Duration::from_secs(10));
    source.expect(&[Resumed]).await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_is_opened_again_when_nobody_answers_any_question() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    peer.mute.store(true, Ordering::SeqCst);
    let silent = Instant::now();
    let watch = peer.asked_to_watch("7").await;
    assert!(silent.elapsed() < Duration::from_secs(70), "{:?}", silent.elapsed());
    feed.hung_up().await;
    watch.answer(503, status(503));
    source.expect(&[Failed(Unavailable)]).await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_vanishes_is_looked_up_and_listed_again() {
    let mut peer = Peer::new();
    let (mut source, feed) = peer.watching().await;
    drop(feed);
    peer.asked_to_watch("7").await.answer(404, "404 page not found");
    source.expect(&[Failed(NotServed)]).await;
    peer.asked_to_list().await.answer(200, list(&[], "50", ""));
    source.expect(&[ListStarted, ListDone]).await;
}

#[tokio::test(start_paused = true)]
async fn lists_take_turns() {
    let mut peer = Peer::new();
    peer.turns = Arc::new(tokio::sync::Semaphore::new(1));
    let _first = peer.source();
    let feed = peer.asked_to_list().await.stream();
    let _second = peer.source();
    assert!(peer.is_quiet_for(Duration::from_secs(10)).await, "two lists at once");
    feed.send(list(&[], "7", "")).await;
    drop(feed);
    let next = [peer.asked().await.is_watch(), peer.asked().await.is_watch()];
    assert!(
        next.contains(&true) && next.contains(&false),
        "a watch and the other list"
    );
}

#[tokio::test(start_paused = true)]
async fn a_source_that_is_dropped_hangs_up() {
    let mut peer = Peer::new();
    let (source, feed) = peer.watching().await;
    drop(source);
    // The reader notices when it has something to hand on.
    feed.send(event("ADDED", &pod("b", "8"))).await;
    feed.hung_up().await;
}

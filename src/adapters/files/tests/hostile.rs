//! Broken and hostile inputs: what can be read is read, the rest is named, nothing panics or grows.

use std::fmt::Write as _;

use super::*;
use crate::files::input::InputError;

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n";
const API: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: shop}\n";

fn json(name: &str, spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"{name}","namespace":"shop"}},"spec":{spec}}}"#
    )
}

#[test]
fn a_broken_yaml_document_is_named_by_its_line_and_the_rest_goes_on() {
    let written = format!("{WEB}---\napiVersion: apps/v1\nkind: [Deployment\nmetadata: x\n---\n{API}");
    let shown = show(text(written), deployments());
    assert_eq!(shown.names(), ["shop/web", "shop/api"]);
    assert!(!shown.complete, "what the broken document holds is not known");
    assert_eq!(shown.report.problem_count, 1);
    let line = shown.report.problems[0].place.line;
    assert!((5..=8).contains(&line), "{:?}", shown.problems());
}

#[test]
fn tabs_and_repeated_keys_in_yaml_are_problems_and_the_rest_goes_on() {
    for broken in ["spec:\n\treplicas: 1\n", "spec: {}\nspec: {}\n"] {
        let written = format!("{WEB}{broken}---\n{API}");
        let shown = show(text(written), deployments());
        assert_eq!(shown.names(), ["shop/api"], "{broken:?}");
        assert_eq!(shown.report.problem_count, 1, "{broken:?}");
        let line = shown.report.problems[0].place.line;
        assert!((4..=5).contains(&line), "{broken:?}: {:?}", shown.problems());
    }
}

#[test]
fn of_repeated_keys_in_json_the_last_counts_as_on_the_api_server() {
    let shown = show(text(json("web", r#"{"replicas":1,"replicas":2}"#)), deployments());
    assert_eq!(shown.objects[0].value["spec"]["replicas"], 2);
}

#[test]
fn broken_json_is_given_up_to_the_next_line_that_begins_a_document() {
    let written = format!(
        "{}\n{{\"apiVersion\": oops\n  {{}}\n{}\n",
        json("web", "{}"),
        json("api", "{}")
    );
    let shown = show(text(written), deployments());
    assert_eq!(shown.names(), ["shop/web", "shop/api"]);
    assert_eq!(shown.report.problem_count, 1);
    assert_eq!(shown.report.problems[0].place.line, 2, "{:?}", shown.problems());
    assert!(!shown.complete);
}

#[test]
fn a_dump_that_was_cut_off_gives_what_it_holds_and_says_where_it_ends() {
    let whole = format!("{{\"items\":[\n{},\n{}\n]}}", json("web", "{}"), json("api", "{}"));
    let shown = show(text(&whole[..whole.len() - 20]), deployments());
    assert_eq!(shown.names(), ["shop/web"]);
    assert_eq!(shown.report.problem_count, 1);
    assert_eq!(shown.report.problems[0].place.line, 3, "{:?}", shown.problems());
}

#[test]
fn an_object_that_is_nested_too_deeply_is_held_and_the_others_are_read() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let written = format!("[{},{},{}]", json("web", "{}"), json("deep", &deep), json("api", "{}"));
    let shown = show(text(written), deployments());
    assert_eq!(shown.names(), ["shop/web", "shop/api"]);
    assert_eq!(shown.undecodable.len(), 1);
    assert!(shown.complete, "all objects are known");
    // Where nobody looks, depth is no matter.
    let unread = json("web", "{}").replace("\"spec\":{}", &format!("\"status\":{deep}"));
    assert_eq!(show(text(unread), deployments()).names(), ["shop/web"]);
}

#[test]
fn deep_yaml_is_a_problem_of_its_document() {
    let written = format!("{WEB}spec: {}{}\n---\n{API}", "[".repeat(10_000), "]".repeat(10_000));
    let shown = show(text(written), deployments());
    assert_eq!(shown.names(), ["shop/api"]);
    assert_eq!(shown.report.problem_count, 1);
}

#[test]
fn the_deepest_yaml_that_is_accepted_fits_the_stack_whatever_it_is_made_of() {
    let made_of = [
        ("[", "]"),
        ("{a: ", "}"),
        ("- ", ""),
        ("[{a: ", "}]"),
        ("&x [", "]"),
        ("{? [a] : ", "}"),
    ];
    for (open, close) in made_of {
        for depth in (40..140).step_by(3) {
            let spec = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            for place in [
                format!("{WEB}spec: {spec}\n"),
                format!("{WEB}status: &y {spec}\nspec: *y\n"),
            ] {
                let shown = show(text(place), deployments());
                assert!(
                    shown.names() == ["shop/web"] || shown.report.problem_count > 0,
                    "{open} {depth}"
                );
            }
        }
    }
}

#[test]
fn an_alias_bomb_is_a_problem_of_its_document() {
    let mut bomb = format!("{WEB}spec:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "  a{level}: &a{level} [{aliases}]").unwrap();
    }
    let shown = show(text(format!("{bomb}---\n{API}")), deployments());
    assert_eq!(shown.names(), ["shop/api"]);
    assert_eq!(shown.report.problem_count, 1);
}

#[test]
fn anchors_merge_keys_and_aliases_within_reason_work() {
    let written = format!("{WEB}spec:\n  base: &base {{a: 1, b: 2}}\n  more: {{<<: *base, b: 3}}\n");
    let shown = show(text(written), deployments());
    assert_eq!(
        shown.objects[0].value["spec"]["more"],
        serde_json::json!({"a": 1, "b": 3})
    );
}

#[test]
fn ten_thousand_documents_in_one_file_are_read() {
    let documents: Vec<String> = (0..10_000)
        .map(|number| format!("---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d{number}\n"))
        .collect();
    let documents = documents.concat();
    let shown = show(text(documents), deployments());
    assert_eq!(shown.objects.len(), 10_000);
    assert_eq!(shown.objects[9_999].name.as_ref(), "d9999");
    assert!(shown.complete);
}

#[test]
fn what_is_no_manifest_is_said_to_be_none() {
    let scratch = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| std::fs::write(scratch.path().join(name), content).unwrap();
    write("a-binary.yaml", b"\x7fELF\0\0\0");
    write("b-utf16.yaml", b"\xff\xfea\0");
    write("c-text.yaml", b"just words\n");
    write("d-array.json", b"[1, \"two\"]");
    write("e-nothing.yaml", b"\n# only words for people\n---\n");
    write("f-empty.json", b"");
    write("g-unnamed.yaml", b"foo: bar\n");
    write("h-broken-text.yaml", b"a: \xff\xfe\xfd\n");
    write("notes.txt", b"not looked at");
    let shown = show(folder(scratch.path()), deployments());
    assert_eq!(shown.names(), Vec::<String>::new());
    let named: Vec<String> = shown
        .report
        .problems
        .iter()
        .filter_map(|problem| Some(problem.place.input.rsplit('/').next()?.split('-').next()?.to_owned()))
        .collect();
    assert_eq!(
        named,
        ["a", "b", "c", "d", "d", "g", "h"],
        "{:?}",
        shown.report.problems
    );
}

#[test]
fn an_empty_folder_and_a_missing_file_are_errors() {
    let scratch = tempfile::tempdir().unwrap();
    assert!(matches!(
        Input::path(scratch.path(), Folders::Whole),
        Err(InputError::Empty { .. })
    ));
    assert!(matches!(
        Input::path(&scratch.path().join("none.yaml"), Folders::Whole),
        Err(InputError::Unreadable { .. })
    ));
}

#[test]
fn links_to_folders_are_not_followed_and_links_to_files_are() {
    let scratch = tempfile::tempdir().unwrap();
    let inside = scratch.path().join("inside");
    std::fs::create_dir_all(inside.join("..data")).unwrap();
    std::fs::write(inside.join("..data/web.yaml"), WEB).unwrap();
    let link = |to: &Path, at: std::path::PathBuf| std::os::unix::fs::symlink(to, at).unwrap();
    link(Path::new("..data/web.yaml"), inside.join("web.yaml"));
    link(scratch.path(), inside.join("loop"));
    link(Path::new("nowhere.yaml"), inside.join("broken.yaml"));
    link(&inside, scratch.path().join("again"));
    let shown = show(folder(scratch.path()), deployments());
    assert_eq!(shown.names(), ["shop/web"]);
    assert_eq!(shown.report.problem_count, 0);
    assert_eq!(
        show(folder(&scratch.path().join("again")), deployments()).names(),
        ["shop/web"],
        "a link that is named itself is followed"
    );
}

#[test]
fn an_object_that_is_given_twice_counts_once_and_is_remarked() {
    let shown = show(text(format!("{WEB}---\n{WEB}spec: {{replicas: 2}}\n")), deployments());
    assert_eq!(shown.objects.len(), 2);
    assert_eq!(shown.objects[0].uid, shown.objects[1].uid);
    assert_eq!(shown.report.remark_count, 1);
    assert_eq!(shown.report.remarks[0].place.line, 5);
    assert!(shown.complete);
}

#[test]
fn an_object_without_a_name_is_a_problem() {
    let written = format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{generateName: web-}}\n---\n{API}");
    let shown = show(text(written), deployments());
    assert_eq!(shown.names(), ["shop/api"]);
    assert!(!shown.complete);
}

#[test]
fn problems_are_counted_and_only_some_are_kept() {
    let written = "foo: bar\n---\n".repeat(1_000);
    let shown = show(text(written), deployments());
    assert_eq!(shown.report.problem_count, 1_000);
    assert_eq!(shown.report.problems.len(), 100);
}

#[test]
fn no_part_of_a_secret_is_in_a_message() {
    let written = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: \"hunter2-value\nb: [\n";
    let shown = show(text(written), request("", "v1", "Secret"));
    assert_eq!(shown.report.problem_count, 1);
    assert!(!shown.problems()[0].contains("hunter2"), "{:?}", shown.problems());
}

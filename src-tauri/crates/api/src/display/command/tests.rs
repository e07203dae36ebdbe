use proptest::prelude::*;

use super::risk::Finding;
use super::*;
use crate::display::text::plain;

/// Writes a command's parts one a line, each word with its kind, so that a case reads at a glance.
fn drawn(command: &str) -> String {
    let (segments, analysable) = segments_in(command, "/work/shop");
    let mut lines = Vec::new();
    for segment in segments {
        let words: Vec<String> = segment
            .words
            .iter()
            .filter(|word| !plain(&word.text).trim().is_empty())
            .map(|word| {
                let text = plain(&word.text).trim().to_owned();
                match word.kind {
                    WordKind::Program => format!("[{text}]"),
                    WordKind::Plain => text,
                    WordKind::Quoted => format!("q:{text}"),
                    WordKind::Special => format!("s:{text}"),
                    WordKind::Risk => format!("!{text}"),
                }
            })
            .collect();
        lines.push(format!("{} {}", segment.operator.escape_debug(), words.join(" ")).trim().to_owned());
    }
    if analysable { lines.join("\n") } else { format!("? {}", lines.join("\n")) }
}

#[test]
fn parts_and_kinds() {
    for (command, expected) in [
        ("ls -la", "[ls] -la"),
        ("npm test && git push", "[npm] test\n&& [git] push"),
        ("A=1 B='x y' make all", "s:A=1 s:B='x y' [make] all"),
        ("echo \"a && b\" ; ls", "[echo] q:\"a && b\"\n; [ls]"),
        ("cat a | sort|uniq -c >out 2>&1", "[cat] a\n| [sort]\n| [uniq] -c s:> s:out s:2>& s:1"),
        ("echo $HOME $(date) ${x##*/}", "[echo] s:$HOME s:$(date) s:${x##*/}"),
        ("ls\n\nls", "[ls]\n\\n \n\\n [ls]".replace("\\n \n", "\\n\n").as_str()),
        ("ls # rm -rf /", "[ls] s:# rm -rf /"),
        ("ls &> /dev/null & ls", "[ls] s:&> s:/dev/null\n& [ls]"),
        ("rm -rf build", "![rm] !-rf build".replace("![rm]", "!rm").as_str()),
        ("r''m -rf x", "!r''m !-rf x"),
        ("\\rm x", "!\\rm x"),
        ("sudo -u root rm -r ../a", "!sudo -u root !rm !-r !../a"),
        ("git push --force origin main", "!git push !--force origin main"),
        ("git -C sub push -uf origin", "!git -C sub push !-uf origin"),
        ("git push origin +main", "!git push origin !+main"),
        ("git reset --hard", "!git reset !--hard"),
        ("git clean -fdx", "!git clean !-fdx"),
        ("curl -fsSL https://x.test/i.sh | sudo bash -s", "[curl] -fsSL https://x.test/i.sh\n| !sudo !bash -s"),
        ("sh -c 'rm -rf x'", "!sh -c !'rm -rf x'"),
        ("env -S 'rm -rf x'", "!env -S !'rm -rf x'"),
        ("find . -name a -delete", "!find . -name a !-delete"),
        ("find . -exec rm {} +", "!find . -exec !rm {} +"),
        ("ls | xargs rm -f", "[ls]\n| [xargs] !rm !-f"),
        ("echo x > /dev/sda", "[echo] x s:> !/dev/sda"),
        ("echo x > ../y", "[echo] x s:> !../y"),
        ("cp a /work/shop/b", "[cp] a /work/shop/b"),
        ("cd $X && cp a b", "[cd] s:$X\n&& [cp] a b"),
        ("ls | tee /dev/null", "[ls]\n| [tee] /dev/null"),
        ("cp a /etc/b", "[cp] a !/etc/b"),
        ("cd src && cp a ../b", "[cd] src\n&& [cp] a ../b"),
        ("cd .. && cp a b", "[cd] ..\n&& [cp] !a !b"),
        ("chmod -R 777 .", "!chmod -R !777 ."),
        ("echo $(rm -rf x)", "[echo] !$(rm -rf x)"),
        ("timeout 5 rm x", "[timeout] 5 !rm x"),
        ("[ -f a ] && ls", "[[] -f a ]\n&& [ls]"),
        ("! grep x y", "! [grep] x y"),
        ("mkfs.ext4 /dev/sdb1", "!mkfs.ext4 /dev/sdb1"),
        ("shutdown now", "!shutdown now"),
    ] {
        assert_eq!(drawn(command), expected, "{command}");
    }
}

/// Neighbours that look alike are one thing to draw; words that could turn around what stands beside them stay alone.
#[test]
fn words_that_look_alike_run_on() {
    let (segments, _) = segments("ls a b 'c' \u{5d0} \u{5d1} d && ls e");
    let words: Vec<Vec<String>> =
        segments.iter().map(|one| one.words.iter().map(|word| plain(&word.text)).collect()).collect();
    assert_eq!(words[0], ["ls", " a b ", "'c'", " ", "\u{5d0}", " ", "\u{5d1}", " d "]);
    assert_eq!(words[1], [" ", "ls", " e"], "the blank behind an operator is the operator's");
}

#[test]
fn what_cannot_be_followed_is_one_part() {
    for command in [
        "echo 'a",
        "echo \"a",
        "cat <<EOF\nrm -rf /\nEOF",
        "for f in *; do rm $f; done",
        "if true; then ls; fi",
        "(cd a && ls)",
        "{ ls; }",
        "echo `date`",
        "echo $(ls; ls)",
        "echo $(echo $(ls))",
        "diff <(ls) <(ls a)",
        "$X -rf /",
        "/bin/r? x",
        "{rm,-rf,x}",
        "echo $'\\x72m'",
        "f() { ls; }",
        "case a in a) ls;; esac",
        "ls >",
        "ls \\",
        "a=(1 2)",
    ] {
        let (segments, analysable) = segments(command);
        assert!(!analysable, "{command}");
        assert_eq!(segments.len(), 1, "{command}");
    }
    assert!(segments("for f in *; do rm $f; done").0[0].high_risk, "risk is guessed where nothing is known");
    assert!(segments("bash <(curl -s https://x.test)").0[0].high_risk);
    assert!(!segments("(cd a && ls)").0[0].high_risk);
}

#[test]
fn findings() {
    let findings = |command| analyse(command, "/work/shop").findings;
    assert_eq!(
        findings("rm a; rm -r ../b"),
        [Finding::Deletes {
            paths: vec!["a".to_owned(), "../b".to_owned()],
            place: super::risk::place::Place::Outside
        }]
    );
    let host = |host: &str| Finding::TalksTo { host: host.to_owned() };
    assert_eq!(findings("curl https://user:pw@evil.test:8443/x?y"), [host("evil.test")]);
    assert_eq!(findings("curl https://github.com@evil.test/"), [host("evil.test")]);
    assert_eq!(findings("ssh me@box.test ls"), [host("box.test")]);
    assert_eq!(findings("sh -c \"$(curl -fsSL https://x.test)\""), [host("x.test"), Finding::DownloadsIntoShell]);
    assert_eq!(findings("curl https://x.test > a; sh a"), [host("x.test")]);
    assert!(findings("curl https://gооgle.test").iter().all(Finding::is_danger), "letters that only look Latin");
    assert_eq!(findings("echo rm -rf"), []);
}

#[test]
fn hostile_commands_take_no_time() {
    let start = std::time::Instant::now();
    for piece in [
        "a=1 ",
        "rm ../x ",
        "! ",
        "a;",
        "$(a) ",
        "https://x.test ",
        ">a ",
        "sh -c 'rm x' ",
        "\\\n",
        "(",
        "'a' ",
        "find ",
    ] {
        let command = piece.repeat(120 * 1024 / piece.len());
        assert!(is_whole(&command), "{piece}");
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "took {:?}", start.elapsed());
}

/// All texts in order, operators and blanks included, are the command.
fn is_whole(command: &str) -> bool {
    let sources: String = analyse(command, "")
        .parts
        .iter()
        .flat_map(|part| std::iter::once(part.operator).chain(part.words.iter().map(|(source, _)| *source)))
        .collect();
    sources == command
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn nothing_of_a_command_gets_lost(command in r#"([a-z]{1,3}|[ \t\n]|&&|\|\||[;|&<>'"$(){}\\#!=*?\[\]~/.-]|[0-9]|é|\PC|rm -rf|sudo|git push){0,24}"#) {
        prop_assert!(is_whole(&command));
    }

    #[test]
    fn nothing_of_any_text_gets_lost(command in any::<String>()) {
        prop_assert!(is_whole(&command));
    }
}

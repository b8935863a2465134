# SPDX-License-Identifier: BSD-3-Clause
"""The checks of this folder find what they look for: each is run on a small tree with one fault."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import check_docstrings
import check_documents
import check_format
import check_layers
import check_licence
import check_sizes
import check_tests
import check_texts
import classes

HERE = pathlib.Path(__file__).parent
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems(self, check):
        return check.problems_of(self.root)[1]

    def accepts(self, name, text):
        self.write(name, text)
        self.assertEqual(self.problems(check_layers), [])

    def refuses(self, name, text):
        self.write(name, text)
        self.assertEqual(len(self.problems(check_layers)), 1)


class Layers(Tree):
    def test_a_layer_may_include_what_lies_below_it(self):
        self.accepts("include/plait/task/a.hpp", "#include <plait/core/b.hpp>\n#include <span>\n")

    def test_a_layer_may_include_what_lies_below_that(self):
        self.accepts("src/mover/a.cpp", "#include <plait/core/b.hpp>\n")

    def test_a_layer_may_not_include_what_lies_above_it(self):
        self.refuses("include/plait/core/a.hpp", "#include <plait/task/b.hpp>\n")

    def test_task_and_comm_do_not_know_each_other(self):
        self.refuses("src/comm/a.cpp", "#include <plait/task/b.hpp>\n")

    def test_only_comm_sees_mpi(self):
        self.accepts("src/comm/a.cpp", "#include <mpi.h>\n")
        self.accepts("include/plait/comm/mpi.hpp", "#include <mpi.h>\n")
        self.refuses("src/runtime/a.cpp", "  #  include <mpi.h>\n")

    def test_a_public_header_of_comm_does_not_show_mpi(self):
        self.refuses("include/plait/comm/environment.hpp", "#include <mpi.h>\n")

    def test_an_engine_knows_no_more_of_windows_than_their_interface(self):
        self.accepts("src/comm/engine/a.cpp", "#include <plait/comm/served_window.hpp>\n")
        self.refuses("src/comm/engine/a.cpp", "#include <plait/comm/exposed_memory.hpp>\n")

    def test_what_one_processor_has_is_used_behind_its_guard_only(self):
        self.accepts("include/plait/core/cpu_pause.hpp", "__builtin_ia32_pause();\n")
        self.refuses("tests/core/test_a.cpp", "for (;;) __builtin_ia32_pause();\n")

    def test_a_public_header_shows_no_other_library(self):
        self.refuses("include/plait/core/a.hpp", "#include <fmt/core.h>\n")

    def test_a_private_header_of_a_layer_above_is_out_of_reach(self):
        self.write("src/runtime/hidden.hpp", "")
        self.refuses("src/task/a.cpp", '#include "runtime/hidden.hpp"\n')

    def test_a_path_that_climbs_does_not_escape(self):
        self.write("src/runtime/hidden.hpp", "")
        self.refuses("src/task/a.cpp", '#include "../runtime/hidden.hpp"\n')

    def test_the_program_without_mpi_sees_layers_that_need_none(self):
        self.accepts("network/predict/main.cpp", "#include <plait/model/b.hpp>\n")
        self.refuses("network/predict/main.cpp", "#include <plait/comm/b.hpp>\n")

    def test_a_folder_that_is_no_layer_is_named(self):
        self.refuses("src/misc/a.cpp", "")

    def test_programs_see_the_facade(self):
        self.accepts("apps/x/a.cpp", '#include <plait/plait.hpp>\n#include "own.hpp"\n')
        self.accepts("bench/a.cpp", "#include <plait/comm/mpi.hpp>\n")
        self.refuses("examples/a.cpp", "#include <plait/task/scheduler.hpp>\n")

    def test_a_network_probe_is_a_program(self):
        self.refuses("network/x/a.cpp", "#include <plait/probe/loggp.hpp>\n")

    def test_programs_share_the_harness_and_nothing_else(self):
        self.write("measure/compare/turns.hpp", "")
        self.write("bench/x/step.hpp", "")
        self.accepts("apps/x/a.cpp", '#include "measure/compare/turns.hpp"\n')
        self.refuses("measure/a.cpp", '#include "../bench/x/step.hpp"\n')

    def test_programs_do_not_see_each_other(self):
        self.write("bench/x/step.hpp", "")
        self.refuses("apps/x/a.cpp", '#include "bench/x/step.hpp"\n')


class Licence(Tree):
    def test_the_line_is_first_or_after_the_shebang(self):
        self.write("src/a.cpp", LICENCE)
        self.write("tests/b", "#!/bin/bash\n# SPDX-License-Identifier: BSD-3-Clause\n")
        self.assertEqual(self.problems(check_licence), [])

    def test_a_file_without_it_is_named(self):
        self.write("src/a.cpp", "int x;\n")
        self.assertIn("src/a.cpp", self.problems(check_licence)[0])


class Format(Tree):
    def test_a_badly_formed_file_is_named(self):
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("src/good.cpp", "int x;\n")
        self.write("src/bad.cpp", "int   x ;\n")
        problems = self.problems(check_format)
        self.assertEqual(len(problems), 1)
        self.assertIn("src/bad.cpp:1", problems[0])


class Sizes(Tree):
    def test_a_file_that_is_too_long_is_named(self):
        self.write("src/core/good.cpp", "int x;\n" * check_sizes.MOST_LINES)
        self.write("src/core/long.cpp", "int x;\n" * (check_sizes.MOST_LINES + 1))
        problems = self.problems(check_sizes)
        self.assertEqual(len(problems), 1)
        self.assertIn("src/core/long.cpp: 451 lines", problems[0])

    def test_tests_are_asked_too(self):
        self.write("tests/core/test_long.cpp", "int x;\n" * 1000)
        self.assertEqual(len(self.problems(check_sizes)), 1)

    def test_a_class_with_too_many_members_is_named(self):
        most = check_sizes.MOST_MEMBERS
        text = "struct {} {{\n{}}};\n"
        members = "".join(f"  std::function<void(int)> f{i} = {{}};\n" for i in range(most))
        self.write("src/core/good.hpp", text.format("good", members + "  static constexpr int most = 3;\n"))
        self.assertEqual(self.problems(check_sizes), [])
        self.write("src/core/large.hpp", text.format("large", members + "  int one_more;\n"))
        problems = self.problems(check_sizes)
        self.assertEqual(len(problems), 1)
        self.assertIn(f"src/core/large.hpp: large has {most + 1} members and 0 functions", problems[0])

    def test_a_class_with_too_many_functions_is_named(self):
        most = check_sizes.MOST_FUNCTIONS
        functions = "".join(f"  int f{i}(int x = 1) const {{ return x; }}\n" for i in range(most))
        self.write("src/core/good.hpp", f"class good {{\n{functions}  good() = default;\n}};\n")
        self.assertEqual(self.problems(check_sizes), [])
        self.write("src/core/large.hpp", f"class large {{\n{functions}  large();\n}};\n")
        problems = self.problems(check_sizes)
        self.assertEqual(len(problems), 1)
        self.assertIn(f"src/core/large.hpp: large has 0 members and {most + 1} functions", problems[0])

    def test_members_and_functions_are_told_apart(self):
        text = """
            /// class commented { int x; };
            template <class T>
            class [[maybe_unused]] outer final : public base<T> {
             public:
              enum class kind { a, b };
              struct inner { int x; int y = 1; };
              using type = int;
              outer() : a_{1}, b_(2) {}
              explicit outer(int x) noexcept(true);
              outer(const outer&) = delete;
              template <class U>
              [[nodiscard]] auto f(U u) const -> int { return u({;}); }
              bool operator<(const outer&) const;
              friend class other;
              alignas(64) std::atomic<std::map<int, int>> a_{};
              int b_ = g(3);
              void (*c_)(int) = nullptr;
              const char* d_ = "struct no { int x; };";
            };
        """
        sizes = {one.name: one[1:] for one in classes.sizes(text)}
        self.assertEqual(sizes, {"outer": (4, 4), "inner": (2, 0)})

    def test_a_folder_with_too_many_files_is_named(self):
        for i in range(check_sizes.MOST_FILES):
            self.write(f"src/core/f{i}.hpp", "int x;\n")
        self.assertEqual(self.problems(check_sizes), [])
        self.write("src/core/CMakeLists.txt", "")
        self.assertEqual(self.problems(check_sizes), ["src/core: 26 files; make rooms of it, 25 are the most"])

    def test_each_exception_is_needed(self):
        root = HERE.parent.parent
        found = check_sizes.too_large(root)
        self.assertEqual(set(check_sizes.EXCEPTIONS) - set(found), set())


class Tests(Tree):
    def test_one_that_nobody_runs_is_named(self):
        self.write("tests/core/CMakeLists.txt", "plait_test(core/test_a)\nforeach(subject b)\n")
        for subject in "abc":
            self.write(f"tests/core/test_{subject}.cpp", "TEST(one, runs) {\n")
        self.write("tests/core/shared.hpp", "  TYPED_TEST(one, runs) {\n")
        problems = self.problems(check_tests)
        self.assertEqual(len(problems), 2)
        self.assertIn("tests/core/shared.hpp", problems[0])
        self.assertIn("tests/core/test_c.cpp", problems[1])


class Docstrings(Tree):
    def test_one_that_leans_on_its_neighbour_is_named(self):
        self.write("include/plait/core/a.hpp", LICENCE + "/// Adds.\nint a();\n/// The same of b.\nint b();\n")
        self.write("src/core/b.cpp", "int c;  ///< what it is\nint d;  ///< What it is\n")
        problems = self.problems(check_docstrings)
        self.assertEqual(len(problems), 2)
        self.assertIn("include/plait/core/a.hpp:4", problems[0])
        self.assertIn("src/core/b.cpp:2", problems[1])

    def test_each_beginning_that_leans_is_known(self):
        beginnings = ("What it does.", "Whether it may.", "Where it is.", "How it is.", "As above.", "The same, later.")
        for words in beginnings:
            self.write("src/core/a.cpp", f"/// {words}\n")
            self.assertEqual(len(self.problems(check_docstrings)), 1, words)

    def test_the_words_may_stand_further_on(self):
        self.write("src/core/a.cpp", "/// Says\n/// What is meant.\n// What else.\n/// Whatever.\n//// What\n")
        self.assertEqual(self.problems(check_docstrings), [])

    def test_programs_are_asked_too(self):
        for folder in ("measure", "apps/x", "bench/x", "network/x"):
            self.write(f"{folder}/a.cpp", "/// How many there are.\n")
        self.assertEqual(len(self.problems(check_docstrings)), 4)

    def test_docstrings_of_python_are_asked_too(self):
        text = (
            '"""Where it is."""\n\n\nclass A:\n    """Is A."""\n\n    def f():\n        """\n        What f does.\n        """\n'
        )
        self.write("python/plait/a.py", text)
        problems = self.problems(check_docstrings)
        self.assertEqual(len(problems), 2)
        self.assertIn("python/plait/a.py:1", problems[0])
        self.assertIn("python/plait/a.py:8", problems[1])

    def test_tests_are_not_asked(self):
        self.write("tests/core/test_a.cpp", "/// What it does.\n")
        self.assertEqual(self.problems(check_docstrings), [])


class Documents(Tree):
    def test_a_link_to_nothing_is_named_in_a_folder_too(self):
        self.write("apps/README.md", "[there](../docs/a.md), [nowhere](../docs/b.md)\n")
        self.write("docs/a.md", "")
        self.assertEqual(
            check_documents.complaints(self.root), ["apps/README.md: links to ../docs/b.md, which does not exist"]
        )


class Texts(Tree):
    texts = dict.fromkeys(check_texts.NAMES, "") | {"thyme": "we ran on 256 of them"}

    def said_of(self, document, texts=None):
        self.write("docs/a.md", document)
        return check_texts.problems_of(self.root, texts)[1]

    def test_a_number_of_a_text_without_a_mark_is_named(self):
        self.assertEqual(
            self.said_of("One line. The text finds 0.84\nat most. Here it is 0.9.\n"),
            ["docs/a.md: a number of a text without a mark: The text finds 0.84 at most."],
        )
        self.assertEqual(len(self.said_of("| a | the KeLP paper's 3 % |\n| 4 | as the slides |\n")), 1)

    def test_a_marked_number_and_one_of_plait_are_accepted(self):
        mark = '<!-- of thyme: "256 of them" -->'
        self.assertEqual(self.said_of(f"The text ran on 256\n{mark}. By the text's rule 3 <!-- ours -->.\n"), [])
        self.assertEqual(self.said_of("The text's `--ranks 2`.\n\n```\nthe text 2\n```\n"), [])

    def test_a_quotation_stands_in_the_text(self):
        self.assertEqual(self.said_of('<!-- of thyme: "on\n256 of" -->\n', self.texts), [])
        self.assertEqual(
            self.said_of('<!-- of thyme: "on 128 of" -->\n', self.texts),
            ["docs/a.md: thyme does not have: on 128 of"],
        )
        self.assertEqual(self.said_of('<!-- of thyme: "on 128 of" -->\n'), [])

    def test_a_quotation_is_short_and_of_a_known_text(self):
        self.assertEqual(len(self.said_of(f'<!-- of thyme: "{61 * "1"}" -->\n')), 1)
        self.assertEqual(len(self.said_of('<!-- of another: "1" -->\n')), 1)

    def test_texts_are_looked_for_where_the_variable_says(self):
        for name in check_texts.NAMES:
            self.write(f"texts/{name}.txt", f"{name} has\n7\n")
        with unittest.mock.patch.dict("os.environ", PLAIT_TEXTS=str(self.root / "texts")):
            self.assertEqual(check_texts.texts_of(self.root)["thyme"], "thyme has 7")
        with unittest.mock.patch.dict("os.environ", PLAIT_TEXTS=str(self.root)):
            self.assertIsNone(check_texts.texts_of(self.root))


class MustNotCompile(Tree):
    def run_on(self, text, expected):
        self.write("case.cpp", text)
        command = [sys.executable, HERE / "must_not_compile.py", expected, "--"]
        command += ["c++", "-std=c++20", "-fsyntax-only", self.root / "case.cpp"]
        return subprocess.run(command, capture_output=True, text=True)

    def test_the_expected_message_passes(self):
        text = '#ifndef PLAIT_CONTROL\nstatic_assert(false, "no such thing");\n#endif\n'
        self.assertEqual(self.run_on(text, "no such thing").returncode, 0)

    def test_another_message_fails(self):
        text = '#ifndef PLAIT_CONTROL\nstatic_assert(false, "no such thing");\n#endif\n'
        self.assertIn("without the message", self.run_on(text, "other").stderr)

    def test_code_that_compiles_fails(self):
        self.assertIn("must not", self.run_on("int x;\n", "anything").stderr)

    def test_code_that_is_wrong_elsewhere_fails(self):
        text = '#ifndef PLAIT_CONTROL\nstatic_assert(false, "no such thing");\n#endif\nint 3x;\n'
        self.assertIn("should compile", self.run_on(text, "no such thing").stderr)


if __name__ == "__main__":
    unittest.main()

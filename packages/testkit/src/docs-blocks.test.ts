import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocsBlocks } from "./docs-blocks.ts";

const page = `# Title

Text that goes on
    like this is no code.

## First

    $ mkdir a && cd a     # a comment
    $ cat > f <<'EOF'
    $ not a command

      indented
    EOF
    $ capstan app create x \\
        --dest y
    made
    …

- An item

    of which this is a part.

## Second

\`\`\`yaml
a: 1

b: 2
\`\`\`
    after: a fence

End.
`;

test("blocks of a page: where they stand, what is typed, what is printed", () => {
  const [first, second, ...more] = readDocsBlocks(page);
  assert.deepEqual(
    first?.commands.map(({ line, text, output }) => [line, text, output]),
    [
      [8, "mkdir a && cd a     # a comment", []],
      [9, "cat > f <<'EOF'\n$ not a command\n\n  indented\nEOF", []],
      [14, "capstan app create x \\\n    --dest y", ["made", "…"]],
    ],
  );
  assert.equal(first?.heading, "First");
  assert.deepEqual(second, {
    line: 26,
    heading: "Second",
    language: "yaml",
    text: "a: 1\n\nb: 2\n",
    commands: [],
  });
  assert.equal(more.length, 0, "an indented line right behind a fence is text of a paragraph");
});

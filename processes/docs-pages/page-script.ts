/** From a page to what a terminal is given, and what must be printed then. */
import { type DocsBlock, type DocsCommand, readDocsBlocks } from "@capstan/testkit";

const mark = "\u001e";
/** Before the exit code of what was typed. */
const ended = "\u001f";
const untried = /^\*Not tried here: .+\*$/;
const untriedPage = /^\*The commands of this page are not tried by tests: .+\*$/m;
const goingOn = /^\*Until Ctrl-C, .+\*$/;
/** Who has none of these types these; on PATH they would be what capstan itself looks for. */
const functions = `kubectl() {
  local KUBECONFIG="$KUBECONFIG"
  [ -n "$KUBECONFIG" ] || [ ! -e ~/.kube/config ] || KUBECONFIG=~/.kube/config
  KUBECONFIG="$KUBECONFIG" capstan kubectl "$@"
}
helm() { capstan helm "$@"; }
npx() { if [ "$1" = capstan ]; then "$@"; else command npx "$@"; fi; }
capstan() {
  local more=()
  if [ "$1" = up ]; then
    [[ " $* " == *" --port "* ]] || more+=(--port "$PAGE_PORT")
    [[ " $* " == *" --cluster-port "* ]] || more+=(--cluster-port 0)
  fi
  command capstan "$@" "\${more[@]}"
}
`;

/** What stands in a page, and what it is where the page is typed. */
export type Names = Readonly<Record<string, string>>;

export interface Page {
  readonly text: string;
  /** Those with commands. */
  readonly blocks: readonly DocsBlock[];
}

/** One that goes on until Ctrl-C has a terminal of its own, which the next such block ends. */
export interface TypedCommand extends DocsCommand {
  readonly goesOn: boolean;
  /** Line of its block. */
  readonly block: number;
}

export function readPage(text: string): Page {
  return { text, blocks: readDocsBlocks(text).filter(({ commands }) => commands.length > 0) };
}

export const saysUntried = ({ text }: Page): boolean => untriedPage.test(text);

/** Of the blocks that are tried; `isThere`: without these programs a block is left out. */
export function commandsOf(page: Page, isLeftOut: (block: DocsBlock) => boolean): TypedCommand[] {
  return page.blocks.flatMap((block) => {
    const above = lineAbove(page, block);
    if (untried.test(above) || isLeftOut(block)) return [];
    const goesOn = goingOn.test(above);
    return block.commands.map((command) => ({ ...command, goesOn, block: block.line }));
  });
}

function lineAbove({ text }: Page, block: DocsBlock): string {
  const above = text.split("\n").slice(0, block.line - 1);
  return above.findLast((line) => line.trim() !== "" && !line.startsWith("```")) ?? "";
}

export function named(text: string, names: Names): string {
  const longestFirst = Object.keys(names).toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce((result, name) => result.replaceAll(name, names[name] ?? name), text);
}

/** A line of a page as a pattern: what has a digit in it (times, names, amounts) may be another, as may spaces. */
function pattern(line: string, names: Names): RegExp {
  const words = named(line.trim(), names).split(/\s+/);
  const quoted = words.map((word) =>
    word === "…" ? ".*" : /\d/.test(word) ? String.raw`\S+` : RegExp.escape(word).replaceAll("…", ".*"),
  );
  return new RegExp(quoted.join(String.raw`\s+`));
}

/** The lines that should have been printed, and were not. */
export function lackingLines({ output }: DocsCommand, printed: string, names: Names): string[] {
  const meant = output.filter((line) => line.trim() !== "" && line.trim() !== "…");
  return meant.filter((line) => !pattern(line, names).test(printed));
}

/** `cat FILE`, where a page shows what a file is to hold: it is written. */
function shownFile({ text, output }: DocsCommand): string {
  const [, file] = /(?:^|&& )cat ([~\w./-]+)$/.exec(text) ?? [];
  if (file === undefined || output.length === 0) return "";
  return `mkdir -p "$(dirname ${file})"; [ -e ${file} ] || cat > ${file} <<'SHOWN'\n${output.join("\n")}\nSHOWN\n`;
}

/** As it was typed, in the folder where the line before ended. */
export function scriptOf(commands: readonly TypedCommand[], names: Names): string {
  const steps = commands.map((command, index) =>
    command.goesOn ? inItsTerminal(command, index) : inTurn(command, index),
  );
  return named(`exec 2>&1\n${functions}${steps.join("")}`, names);
}

function inTurn(command: TypedCommand, index: number): string {
  const [, folder] = /^cd (\S+) && /.exec(command.text) ?? [];
  const written = shownFile(command);
  const first = folder && written ? `cd ${folder}\n${written}` : written;
  return `${first}printf '\\n${mark}${index}\\n'\n${command.text}\nprintf '\\n${ended}%s\\n' $?\n`;
}

/** What was exported and the folder go along; the rest waits until it has printed what it should. */
function inItsTerminal({ text, block }: TypedCommand, index: number): string {
  const file = `$TERMINALS/${block}-${index}`;
  const script = `exec 2>&1\n${functions}cd "$(cat ${file}.folder)"\n. ${file}.exported\n${text}\n`;
  return `cat > ${file}.sh <<'TERMINAL'\n${script}TERMINAL
export -p > ${file}.exported; pwd > ${file}.folder; touch ${file}.begin
until [ -e ${file}.goes-on ]; do sleep 0.05; done\n`;
}

/** Of each command by its place: what it printed, and its exit code. */
export function partsOf(said: string): Map<number, { printed: string; code: string | undefined }> {
  const parts = said.split(mark).slice(1);
  return new Map(
    parts.map((part) => [
      Number(part.slice(0, part.indexOf("\n"))),
      { printed: part, code: part.split(ended)[1]?.trim() },
    ]),
  );
}

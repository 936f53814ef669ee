import type { MessageInitShape } from "@bufbuild/protobuf";
import { type SourceTree, type TreeEntry, traceLink } from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import type { ObjectSource } from "../transfer/object-source.ts";

type ObjectInit = MessageInitShape<typeof pluginV1.ObjectSchema>;

const pieceBytes = 2 ** 20;
const readAtOnce = 64;

const modes: Readonly<Record<TreeEntry["kind"], number>> = {
  file: 0o100644,
  executable: 0o100755,
  symlink: 0o120000,
  directory: 0o40000,
  submodule: 0o160000,
};

/** What was asked for, in messages of a bounded size. */
export async function* objectMessages(
  source: ObjectSource,
  ids: readonly string[],
  sent: (bytes: number) => void,
): AsyncGenerator<{ objects: ObjectInit[] }> {
  let waiting: ObjectInit[] = [];
  let bytes = 0;
  for (let at = 0; at < ids.length; at += readAtOnce) {
    const group = ids.slice(at, at + readAtOnce);
    const read = await Promise.all(group.map((id) => readObject(source, id)));
    for (const { data } of read) if (data) sent(data.length);
    for (const object of read.flatMap(inPieces)) {
      const size = sizeOf(object);
      if (bytes > 0 && bytes + size > pieceBytes) {
        yield { objects: waiting };
        waiting = [];
        bytes = 0;
      }
      waiting.push(object);
      bytes += size;
    }
  }
  if (waiting.length > 0) yield { objects: waiting };
}

interface Read {
  id: string;
  directory?: readonly TreeEntry[];
  data?: Buffer;
  refused?: string;
}

async function readObject(source: ObjectSource, id: string): Promise<Read> {
  const found = await source.find(id);
  if (!found) return { id, refused: "it is not of what this run may read" };
  const { tree, entry } = found;
  if (entry.kind === "directory") return { id, directory: await source.list(tree, entry) };
  return { id, data: await readContent(tree, entry) };
}

/** A link out of the repository ends the run, as Argo CD refuses it before it renders anything. */
async function readContent(tree: SourceTree, entry: TreeEntry): Promise<Buffer> {
  if (entry.kind === "symlink") await traceLink(tree, entry);
  return tree.read(entry);
}

function inPieces({ id, directory, data, refused = "" }: Read): ObjectInit[] {
  if (directory) {
    const entries = directory.map(({ name, kind, digest }) => ({ name, mode: modes[kind], id: digest }));
    return [{ id, content: { case: "directory", value: { entries } } }];
  }
  if (!data) return [{ id, content: { case: "refused", value: refused } }];
  const pieces: ObjectInit[] = [];
  for (let at = 0; at === 0 || at < data.length; at += pieceBytes) {
    const value = data.subarray(at, at + pieceBytes);
    pieces.push({ id, content: { case: "data", value }, more: at + pieceBytes < data.length });
  }
  return pieces;
}

function sizeOf({ content }: ObjectInit): number {
  switch (content?.case) {
    case "data":
      return content.value.length + 50;
    case "directory":
      return (content.value.entries?.length ?? 0) * 90;
    default:
      return 200;
  }
}

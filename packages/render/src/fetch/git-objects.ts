import { CapstanError } from "@capstan/model";
import { hasGitFolder } from "@capstan/plugin-kit";

export interface TreeItem {
  name: string;
  kind: "directory" | "file" | "executable" | "symlink" | "submodule";
  digest: string;
}

const maxNameBytes = 255;

const kinds: Record<string, TreeItem["kind"]> = {
  "40000": "directory",
  "100755": "executable",
  "120000": "symlink",
  "160000": "submodule",
};

/** A tree object: mode, space, name, zero byte, 20 bytes of id; in git's order, which is not that of names. */
export function readTree(data: Buffer): TreeItem[] {
  const items: TreeItem[] = [];
  const names = new Set<string>();
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(32, at);
    const zero = data.indexOf(0, space);
    const name = data.toString("utf8", space + 1, zero);
    checkName(name, names);
    const kind = kinds[data.toString("latin1", at, space)] ?? "file";
    items.push({ name, kind, digest: data.toString("hex", zero + 1, zero + 21) });
    at = zero + 21;
  }
  return items.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** A hostile tree can hold names that no checkout would write, and one name twice: a link and a directory. */
function checkName(name: string, names: Set<string>): void {
  const isOdd = name === "" || name === "." || name === ".." || name.includes("/") || hasGitFolder(name);
  if (isOdd || names.has(name) || Buffer.byteLength(name) > maxNameBytes)
    throw new CapstanError({
      code: "PATH_OUTSIDE",
      path: name.slice(0, 300),
      field: "file name in the repository",
    });
  names.add(name);
}

export interface GitCommit {
  tree: string;
  author: string;
  /** RFC 3339. */
  date: string;
  message: string;
}

export function readCommit(data: Buffer): GitCommit {
  const text = data.toString();
  const end = text.indexOf("\n\n");
  const header = end < 0 ? text : text.slice(0, end);
  const author = /^author (.*) (\d+) [+-]\d{4}$/m.exec(header);
  return {
    tree: /^tree ([0-9a-f]{40,64})$/m.exec(header)?.[1] ?? "",
    author: author?.[1] ?? "",
    date: author ? new Date(Number(author[2]) * 1000).toISOString().replace(".000Z", "Z") : "",
    message: end < 0 ? "" : text.slice(end + 2).trim(),
  };
}

export interface GitTag {
  /** What it points to. */
  object: string;
  ownName: string;
  tagger: string;
}

export function readTag(data: Buffer): GitTag {
  const [header = ""] = data.toString().split("\n\n", 1);
  return {
    object: /^object ([0-9a-f]{40,64})$/m.exec(header)?.[1] ?? "",
    ownName: /^tag (.*)$/m.exec(header)?.[1] ?? "",
    tagger: /^tagger (.*?)(?: \d+ [+-]\d{4})?$/m.exec(header)?.[1] ?? "",
  };
}

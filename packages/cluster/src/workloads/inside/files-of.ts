import { posix } from "node:path";
import type { Objects } from "../../types.ts";
import type { Container, KeyPath, Pod, Volume, VolumeSource } from "../kinds.ts";
import { nothingRuns } from "../simulation.ts";
import { type Copies, noRoom } from "./copied-files.ts";
import { fieldOfPod } from "./field-of-pod.ts";
import { storedData } from "./stored-data.ts";

/** The files that a simulated container has, by their absolute path; every folder above one is there too. */
export interface Files {
  read(path: string): Buffer | undefined;
  /** The names in a folder, sorted; undefined where there is none. */
  list(path: string): readonly string[] | undefined;
  /** Of what `kubectl cp` brings; a text: why it is not kept. Without content a folder. */
  write(path: string, content?: Buffer): string | undefined;
}

const folders = ["/bin", "/dev", "/etc", "/home", "/proc", "/root", "/tmp", "/usr/bin", "/var/log"];

export interface Inside {
  readonly pod: Pod;
  readonly container: Container;
  readonly copies: Copies;
}

/** What its volumes bring, what was copied into it, and what the kubelet writes for every container. Images are not read: nothing of them is there. */
export function filesOf(objects: Objects, { pod, container, copies }: Inside): Files {
  const files = new Map<string, Buffer>();
  const hostname = pod.spec.hostname ?? pod.metadata.name ?? "";
  const address = pod.status?.podIP ?? "127.0.0.1";
  files.set("/etc/hostname", Buffer.from(`${hostname}\n`));
  files.set("/etc/hosts", Buffer.from(`127.0.0.1\tlocalhost\n${address}\t${hostname}\n`));
  files.set("/etc/os-release", Buffer.from(`PRETTY_NAME="${nothingRuns}"\nID=capstan-simulated\n`));
  const all = new Set(folders);
  for (const { name, mountPath, subPath } of container.volumeMounts ?? []) {
    const volume = pod.spec.volumes?.find((one) => one.name === name);
    all.add(mountPath);
    if (volume === undefined) continue;
    for (const [path, content] of contentsOf(objects, pod, volume)) {
      if (subPath === undefined) files.set(posix.join(mountPath, path), content);
      else if (path === subPath) files.set(mountPath, content);
      else if (path.startsWith(`${subPath}/`))
        files.set(posix.join(mountPath, path.slice(subPath.length + 1)), content);
    }
  }
  return tree(files, { empty: all, copies });
}

function contentsOf(objects: Objects, pod: Pod, volume: Volume): ReadonlyMap<string, Buffer> {
  const { projected, ...own } = volume;
  const contents = new Map(sourceContents(objects, pod, own));
  for (const { secret, ...source } of projected?.sources ?? [])
    for (const [path, content] of sourceContents(objects, pod, {
      ...source,
      ...(secret && { secret: { ...secret, secretName: secret.name ?? "" } }),
    }))
      contents.set(path, content);
  return contents;
}

function sourceContents(
  objects: Objects,
  pod: Pod,
  { configMap, secret, downwardAPI, serviceAccountToken }: VolumeSource,
): [string, Buffer][] {
  const { namespace = "" } = pod.metadata;
  if (configMap)
    return chosen(
      storedData(objects, { kind: "ConfigMap", namespace, name: configMap.name ?? "" }),
      configMap.items,
    );
  if (secret)
    return chosen(
      storedData(objects, { kind: "Secret", namespace, name: secret.secretName ?? "" }),
      secret.items,
    );
  if (serviceAccountToken)
    return [[serviceAccountToken.path, Buffer.from(`no token: this container is ${nothingRuns}\n`)]];
  return (downwardAPI?.items ?? []).map(({ path, fieldRef }) => [
    path,
    Buffer.from(fieldRef ? fieldOfPod(pod, fieldRef.fieldPath) : ""),
  ]);
}

function chosen(
  data: ReadonlyMap<string, Buffer>,
  items: readonly KeyPath[] | undefined,
): [string, Buffer][] {
  if (items === undefined) return [...data];
  return items.flatMap(({ key, path }) => {
    const content = data.get(key);
    return content === undefined ? [] : [[path, content] as [string, Buffer]];
  });
}

/** Linux's own (PATH_MAX). */
const longestPath = 4_096;

interface Beside {
  /** Folders that are there in any case. */
  readonly empty: ReadonlySet<string>;
  readonly copies: Copies;
}

function tree(brought: ReadonlyMap<string, Buffer>, { empty, copies }: Beside): Files {
  const children = new Map<string, Set<string>>([["/", new Set()]]);
  const folder = (path: string): Set<string> => {
    const known = children.get(path);
    if (known) return known;
    const made = new Set<string>();
    children.set(path, made);
    folder(posix.dirname(path)).add(posix.basename(path));
    return made;
  };
  const show = (path: string, content: Buffer | undefined): void => {
    if (content === undefined) folder(path);
    else folder(posix.dirname(path)).add(posix.basename(path));
  };
  for (const path of empty) if (!brought.has(path)) folder(posix.normalize(path));
  for (const [path, content] of [...brought, ...copies.entries()]) show(path, content);
  const read = (path: string): Buffer | undefined => brought.get(path) ?? copies.get(path);
  return {
    read,
    list: (path) => {
      const names = children.get(path);
      return names && [...names].sort();
    },
    write: (path, content) => {
      const problem = problemOf(path, content);
      if (problem !== undefined) return problem;
      if (content === undefined && children.has(path)) return undefined;
      if (!copies.add(path, content)) return noRoom;
      show(path, content);
      return undefined;
    },
  };

  function problemOf(path: string, content: Buffer | undefined): string | undefined {
    if (path.length > longestPath) return "File name too long";
    if (brought.has(path)) return "Read-only file system";
    if (content !== undefined && children.has(path)) return "Is a directory";
    if (content === undefined && read(path) !== undefined) return "Not a directory";
    for (let above = posix.dirname(path); above !== "/"; above = posix.dirname(above))
      if (read(above) !== undefined) return "Not a directory";
    return undefined;
  }
}

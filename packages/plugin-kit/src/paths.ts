/**
 * A path within a repository with "." and ".." worked out; nothing when it leaves the repository.
 * `from` is the directory it is relative to; a leading slash starts at the root.
 */
export function joinWithin(from: string, path: string): string | undefined {
  const parts: string[] = [];
  const whole = path.startsWith("/") ? path : `${from}/${path}`;
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Directory part of a path within a repository; "" for what stands at the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** `path` seen from `directory`, which holds it. */
export function relativeTo(directory: string, path: string): string {
  return directory === "" ? path : path.slice(directory.length + 1);
}

export function isWithin(directory: string, path: string): boolean {
  return directory === "" || path === directory || path.startsWith(`${directory}/`);
}

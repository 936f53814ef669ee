import type { Lane } from "@capstan/flow";

/**
 * What is asked of one server, at most so much at a time, and what is asked for one project, whose people may name any
 * number of servers: one that hangs holds up nobody but who asks it.
 */
export function serverLanes(
  { server, project }: { readonly server: string; readonly project: string },
  { atServer, ofProject }: { readonly atServer: number; readonly ofProject: number },
): readonly Lane[] {
  return [
    { name: `server ${server}`, atOnce: atServer },
    { name: `project ${project}`, atOnce: ofProject },
  ];
}

/** With its port, of an address or of git's own way to write one (`git@host:path`); "" is this machine. */
export function serverOf(address: string): string {
  const ofUrl = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/i.exec(address.trim());
  const ofPath = /^(?:[^@/:]*@)?([^/:]*):/.exec(address.trim());
  return (ofUrl ?? ofPath)?.[1]?.toLowerCase() ?? "";
}

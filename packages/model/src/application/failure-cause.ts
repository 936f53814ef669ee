/** What is looked at of a message; whoever can commit decides how long it is. */
const longest = 4096;

/** Words before a cause that say only that there is one. */
const frames = [
  /^ComparisonError: /,
  /^Failed to [a-z ]{1,60}: /,
  /^Failed last sync attempt to \[?[^\s\]]{0,500}\]?(?: \[[^\]]{0,200}\])?: /,
  /^source \d+ \([^)\n]{0,500}\): /,
  /^[\w./-]{1,80} failed with exit code \d+ \([^\n]{0,2000}?\): /,
  /^one or more (?:objects|synchronization tasks) failed to apply(?: \(dry run\))?(?:, reason)?: /,
  /^one or more objects failed to apply, reason: /,
  /^Error: /,
  /^execution error at \(([^)\n]{1,500})\): /,
  /^accumulating resources: /,
];

/** When a failure is looked into again: no part of its cause (describeFailure). */
const cached = / \(cached failure; tried again after [^)\n]{1,40}\)/;

/** helm 3 says it in one line, helm 4 in three (text/template's ExecError). */
const templateError =
  /^(?:template: )?([^\s:]{1,500}):(\d+)(?::\d+)?:?\s+executing "[^"\n]{0,500}" at <([^>\n]{0,500})>:\s+([^\n]{1,1000})/;
const parseError = /^(?:parse error at \(|YAML parse error on )([^\s):]{1,500}):?(\d*)\)?: ([^\n]{1,1000})/;

/**
 * A failure's message without what stands before its cause: which command, with which flags, has failed. A template's
 * error gives file, line and expression: `web/templates/a.yaml:6 .Values.ingress.host is nil`. The first line; the
 * whole text stays where it can be read.
 */
export function failureCause(message: string): string {
  let rest = message.slice(0, longest).replace(cached, "").trim();
  for (let again = true; again; ) {
    again = false;
    for (const frame of frames) {
      const found = frame.exec(rest);
      if (!found) continue;
      const place = found[1] === undefined ? "" : `${withoutColumn(found[1])} `;
      rest = place + rest.slice(found[0].length).trim();
      again = true;
    }
  }
  return templateCause(rest) ?? firstLine(rest) ?? message;
}

function templateCause(text: string): string | undefined {
  const [, file, line, expression, reason] = templateError.exec(text) ?? [];
  if (file !== undefined && line !== undefined && reason !== undefined)
    return /^nil pointer evaluating/.test(reason)
      ? `${file}:${line} ${expression} is nil`
      : `${file}:${line} ${expression}: ${reason}`;
  const [, where, at, problem] = parseError.exec(text) ?? [];
  return where === undefined ? undefined : `${where}${at ? `:${at}` : ""} ${problem}`;
}

function firstLine(text: string): string | undefined {
  return text.split("\n", 1)[0]?.trim() || undefined;
}

/** `a.yaml:6:4` as `a.yaml:6`. */
function withoutColumn(place: string): string {
  return place.replace(/^([^\s:]+:\d+):\d+$/, "$1");
}

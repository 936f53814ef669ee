/** A literal that lines must contain, or with `!` in front must not (Argo CD: server/application PodLogs). */
export function logLineFilter(filter: string | undefined, matchCase: boolean): (line: string) => boolean {
  if (!filter) return () => true;
  const isNegated = filter.startsWith("!");
  const literal = isNegated ? filter.slice(1) : filter;
  const wanted = matchCase ? literal : literal.toLowerCase();
  return (line) => (matchCase ? line : line.toLowerCase()).includes(wanted) !== isNegated;
}

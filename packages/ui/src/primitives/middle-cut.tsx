/** What tells names apart often stands at their end: the cut goes before the last characters. */
const keptAtEnd = 9;

export function MiddleCut({ text }: { text: string }) {
  if (text.length <= keptAtEnd * 2)
    return (
      <span className="cut" title={text}>
        <span className="cut-start">{text}</span>
      </span>
    );
  return (
    <span className="cut" title={text}>
      {/* One text for those who listen and who copy; two parts of a flex box are read with a gap between them. */}
      <span className="cut-start">
        {text.slice(0, -keptAtEnd)}
        <span className="cut-rest">{text.slice(-keptAtEnd)}</span>
      </span>
      <span className="cut-end" data-end={text.slice(-keptAtEnd)} aria-hidden="true" />
    </span>
  );
}

import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";
import { SkeletonRows } from "./skeleton.tsx";

export interface Column<T> {
  label: string;
  cell(item: T): ReactNode;
}

interface Props<T> {
  title: string;
  /** Without one it is a page of its own. */
  level?: "page" | "part";
  query: { error: Error | null; isPending: boolean };
  items: readonly T[] | undefined;
  columns: readonly Column<T>[];
  keyOf(item: T): string;
  empty: ReactNode;
  /** What can be done with the whole. */
  actions?: ReactNode;
  /** What narrows it. */
  filters?: ReactNode;
}

/** A list that is read at once: its head with what can be done, its rows, or why there is none. */
export function Listing<T>({ title, level = "page", query, actions, filters, ...rest }: Props<T>) {
  const Title = level === "page" ? "h1" : "h2";
  return (
    <section className={level === "page" ? "listing" : "listing-part"} aria-label={title}>
      <div className="listing-head">
        <Title>{title}</Title>
        {actions}
      </div>
      {filters}
      {query.error && <Problem title={`${title} cannot be read`} failure={query.error} />}
      {query.isPending && <SkeletonRows rows={5} />}
      <Rows {...rest} />
    </section>
  );
}

function Rows<T>({ items, columns, keyOf, empty }: Pick<Props<T>, "items" | "columns" | "keyOf" | "empty">) {
  if (!items) return null;
  if (items.length === 0) return <div className="empty">{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls on a narrow screen must be reachable by keyboard
    <div className="table-box" tabIndex={0}>
      <table className="data-table">
        <thead>
          <tr>
            {columns.map(({ label }) => (
              <th key={label} scope="col">
                {label || <span className="visually-hidden">What can be done</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ label, cell }) => (
                <Cell key={label} label={label}>
                  {cell(item)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** On a phone it is a line with its column's name, and left out where there is nothing. */
function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td data-label={label} className={children === "–" ? "none" : undefined}>
      {children}
    </td>
  );
}

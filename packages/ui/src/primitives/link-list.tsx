import type { Links } from "@capstan/wire";

/** Links to other places, which open beside this page. The server gives only those of http and https. */
export function LinkList({ links }: { links: Links["items"] }) {
  return (
    <>
      {links.map(({ title, url, description }) => (
        <a key={title + url} className="chip" href={url} title={description} target="_blank" rel="noreferrer">
          {title}
        </a>
      ))}
    </>
  );
}

import { Anchor } from "./anchor.tsx";
import { Icon, type IconName } from "./icon.tsx";

export interface Segment {
  label: string;
  href: string;
  current: boolean;
  icon?: IconName;
}

/** A choice that is part of the address. */
export function Segmented({ label, segments }: { label: string; segments: readonly Segment[] }) {
  return (
    <nav className="segmented" aria-label={label}>
      {segments.map((segment) => (
        <Anchor
          key={segment.label}
          href={segment.href}
          replace
          className="segment"
          aria-current={segment.current ? "true" : undefined}
          title={segment.label}
        >
          {segment.icon ? <Icon name={segment.icon} /> : null}
          <span className={segment.icon ? "visually-hidden" : undefined}>{segment.label}</span>
        </Anchor>
      ))}
    </nav>
  );
}

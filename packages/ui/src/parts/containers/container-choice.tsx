interface Props {
  names: readonly string[];
  /** Empty: the first. */
  value: string;
  onChange(name: string): void;
}

/** Of a Pod with several containers, which one is meant. */
export function ContainerChoice({ names, value, onChange }: Props) {
  if (names.length < 2) return null;
  return (
    <select
      aria-label="Container"
      value={value || names[0]}
      onChange={(event) => onChange(event.target.value)}
    >
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

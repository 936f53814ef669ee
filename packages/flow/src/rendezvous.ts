const [offset, prime] = [0x811c9dc5, 0x01000193];

/** FNV-1a, then murmur3's last steps, so that members that differ in one letter are far from each other. */
function weigh(text: string): number {
  let hash = offset;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), prime) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Members in the order in which they are responsible for a key (rendezvous hashing: Thaler and Ravishankar 1998).
 * Whoever knows the same members finds the same order; one that goes leaves its keys to the others and moves no other.
 */
export function byRendezvous<Member extends string>(key: string, members: Iterable<Member>): Member[] {
  const weighed = [...new Set(members)].map((member) => ({ member, weight: weigh(`${member}\0${key}`) }));
  weighed.sort((a, b) => b.weight - a.weight || (a.member < b.member ? -1 : 1));
  return weighed.map(({ member }) => member);
}

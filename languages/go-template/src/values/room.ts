/**
 * How much room Go's runtime gets ready when it appends to a slice that is full (runtime/slice.go nextslicecap,
 * runtime/msize.go roundupsize): sprig's `slice` reaches into it.
 */

/** Bytes that Go's allocator gives out (internal/runtime/gc/sizeclasses.go); above, whole pages. */
const sizeClasses = [
  8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416,
  448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200,
  3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384,
  18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
];
const pageBytes = 8_192;
/** Beside what holds pointers and is larger than 512 bytes. */
const headerBytes = 8;
/** Slices up to here double. */
const doubledUpTo = 256;

/** An element's size; an interface, a text and a slice hold pointers, whole numbers do not. */
const bytesOfElement: Readonly<Record<string, number>> = { int: 8, "[]interface {}": 24 };
const bytesOfPair = 16;

/** The capacity after items were appended one at a time to a slice of that capacity. */
export function capacityAfter(count: number, element: string, capacity = 0): number {
  let room = capacity;
  while (room < count) room = capacityFor(room + 1, element, room);
  return room;
}

/** The capacity after an append of several at once, to so many in all. */
export function capacityFor(count: number, element: string, capacity: number): number {
  if (count <= capacity) return capacity;
  let wanted = capacity;
  if (count > capacity * 2) wanted = count;
  else if (capacity < doubledUpTo) wanted = capacity * 2;
  else while (wanted < count) wanted += (wanted + 3 * doubledUpTo) >>> 2;
  const size = bytesOfElement[element] ?? bytesOfPair;
  return Math.floor(roundedUp(wanted * size, element !== "int") / size);
}

function roundedUp(bytes: number, hasPointers: boolean): number {
  const header = hasPointers && bytes > 512 ? headerBytes : 0;
  const fitting = sizeClasses.find((one) => one >= bytes + header);
  if (bytes <= 32_768 - headerBytes && fitting !== undefined) return fitting - header;
  return Math.ceil(bytes / pageBytes) * pageBytes;
}

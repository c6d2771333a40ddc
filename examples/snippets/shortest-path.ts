// Dijkstra's algorithm with a binary heap, generic over the node type.
class Heap<T> {
  #items: { key: number; value: T }[] = [];

  get size(): number {
    return this.#items.length;
  }
  push(key: number, value: T): void {
    const items = this.#items;
    let i = items.push({ key, value }) - 1;
    while (i > 0 && items[(i - 1) >> 1]!.key > items[i]!.key) {
      const up = (i - 1) >> 1;
      [items[up], items[i]] = [items[i]!, items[up]!];
      i = up;
    }
  }
  pop(): { key: number; value: T } {
    const items = this.#items;
    const top = items[0]!;
    const last = items.pop()!;
    if (items.length > 0) {
      items[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2]) {
          if (child < items.length && items[child]!.key < items[least]!.key) least = child;
        }
        if (least === i) break;
        [items[least], items[i]] = [items[i]!, items[least]!];
        i = least;
      }
    }
    return top;
  }
}

type Graph<N extends PropertyKey> = Record<N, Partial<Record<N, number>>>;

function shortest<N extends string>(graph: Graph<N>, from: N, to: N): { cost: number; path: N[] } | null {
  const cost = new Map<N, number>([[from, 0]]);
  const before = new Map<N, N>();
  const heap = new Heap<N>();
  heap.push(0, from);
  while (heap.size > 0) {
    const { key, value: node } = heap.pop();
    if (node === to) {
      const path: N[] = [to];
      while (path[0] !== from) path.unshift(before.get(path[0]!)!);
      return { cost: key, path };
    }
    if (key > cost.get(node)!) continue;
    for (const [next, weight] of Object.entries(graph[node]) as [N, number][]) {
      const total = key + weight;
      if (total >= (cost.get(next) ?? Infinity)) continue;
      cost.set(next, total);
      before.set(next, node);
      heap.push(total, next);
    }
  }
  return null;
}

const graph = { A: { B: 7, C: 9, F: 14 }, B: { C: 10, D: 15 }, C: { D: 11, F: 2 }, D: { E: 6 }, F: { E: 9 }, E: {}, Z: {} } as const;
({ route: shortest(graph, 'A', 'E'), unreachable: shortest(graph, 'A', 'Z') });

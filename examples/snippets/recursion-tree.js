// Turns a flat list of folders into a tree, then walks it recursively.
const flat = [
  { id: 1, parent: null, name: 'root', size: 0 },
  { id: 2, parent: 1, name: 'src', size: 10 },
  { id: 3, parent: 1, name: 'docs', size: 5 },
  { id: 4, parent: 2, name: 'lib', size: 20 },
  { id: 5, parent: 4, name: 'deep', size: 1 },
];

const build = (parent) =>
  flat.filter((node) => node.parent === parent).map(({ id, name, size }) => ({ name, size, children: build(id) }));
const total = ({ size, children }) => size + children.reduce((sum, child) => sum + total(child), 0);
const paths = ({ name, children }, prefix = '') => {
  const path = `${prefix}/${name}`;
  return [path, ...children.flatMap((child) => paths(child, path))];
};
const depth = ({ children }) => 1 + Math.max(0, ...children.map(depth));

const [root] = build(null);
export default { total: total(root), paths: paths(root), depth: depth(root) };

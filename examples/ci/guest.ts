// A step of a job that nobody has read: it may read the checked out files and nothing else.
import { list } from "realm:capabilities";

export default async (directory: string) => {
  const entries = await list(directory);
  console.log(`${entries.length} entries in ${directory}`);
  return entries.length;
};

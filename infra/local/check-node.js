// Plain JavaScript, which a Node.js that is too old for the service can run too.
const { node } = process.versions;
const [major, minor] = node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `The service needs Node.js 24, which npm ci installs beside it, but found ${node}: run npm ci again without --ignore-scripts.\n`,
  );
  process.exitCode = 1;
}

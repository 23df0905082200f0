# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine whose inlet temperatures are simple to compute: D is diagonal."""

NODES = 4
IDLE_W, COMPUTE_W, COMMUNICATE_W = 100, 300, 200
SHARE = 0.1  # default communication share
# Diagonal of D in K/W: each node heats only its own inlet.
KELVIN_PER_WATT = 0.01
SUPPLY_C = 15


def inlet_c(watts):
    """Steady inlet temperature of a node with this power."""
    return SUPPLY_C + watts * KELVIN_PER_WATT


def busy_w(share=SHARE):
    """Power of a busy node."""
    return (1 - share) * COMPUTE_W + share * COMMUNICATE_W


def write_machine(folder):
    """Writes the machine file into the folder; returns its path."""
    rows = (' '.join(str(KELVIN_PER_WATT if row == column else 0) for column in range(NODES))
            for row in range(NODES))
    (folder / 'D.txt').write_text('\n'.join(rows) + '\n')
    path = folder / 'machine.yaml'
    path.write_text(f'''name: mini
topology: {{kind: mesh, dims: [{NODES}]}}
nodes: "n[1-{NODES}]"
node_types:
  - {{name: std, nodes: "n[1-{NODES}]", idle_w: {IDLE_W}, compute_w: {COMPUTE_W}, communicate_w: {COMMUNICATE_W}}}
communication_share: {SHARE}
thermal:
  heat_distribution: {folder}/D.txt
  supply_c: {SUPPLY_C}
  redline_c: 40
''')
    return path

# SPDX-License-Identifier: GPL-3.0-or-later
"""slurmctld and coolspand over mutual TLS: what each certificate leads to."""

import contextlib
import pathlib
import re

from cluster import Cluster, LedgerWatch, expect, run, wait_until


class Authority:
    """A certificate authority in a folder, made by openssl as in docs/access.md."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ca.key')
        self.openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', '/CN=coolspan-ca',
                     '-days', '30', '-out', 'ca.crt')

    def openssl(self, *arguments):
        return run('openssl', *arguments, cwd=self.folder, timeout=60)

    def issue(self, name, days=30):
        """NAME.crt and NAME.key for 127.0.0.1, in place of earlier ones."""
        self.openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', f'{name}.key')
        self.openssl('req', '-new', '-key', f'{name}.key', '-subj', f'/CN={name}',
                     '-out', f'{name}.csr')
        (self.folder / f'{name}.ext').write_text(f'subjectAltName=DNS:{name},IP:127.0.0.1\n')
        self.openssl('x509', '-req', '-in', f'{name}.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key',
                     '-CAcreateserial', '-days', str(days), '-extfile', f'{name}.ext',
                     '-out', f'{name}.crt')

    def path(self, file):
        return self.folder / file


def use_tls(cluster, authority):
    """coolspand with TLS; returns its TCP endpoint."""
    conf = cluster.dir / 'etc' / 'coolspand.yaml'
    endpoint = re.search(r'ipv4:127\.0\.0\.1:\d+', conf.read_text())[0]
    with conf.open('a') as file:
        file.write(f'tls: {{cert: {authority.path("ctl.crt")}, key: {authority.path("ctl.key")}, '
                   f'client_ca: {authority.path("ca.crt")}}}\n'
                   'access: {resource_manager: ["cert:slurm1"]}\n')
    cluster.mini('restart', 'coolspand')
    wait_until(lambda: cluster.ledger() is not None, 60, 'coolspand is back')
    return endpoint


def show(cluster, endpoint, authority, name, ca=None):
    """slurmctld shows the certificate NAME from now on, or none for NAME=''."""
    lines = [f'Endpoints={endpoint}', 'Mode=enforce', 'DeadlineMs=1000']
    if name:
        lines += [f'TlsCert={authority.path(name)}.crt', f'TlsKey={authority.path(name)}.key',
                  f'TlsCa={(ca or authority).path("ca.crt")}']
    (cluster.dir / 'etc' / 'coolspan.conf').write_text('\n'.join(lines) + '\n')
    cluster.mini('restart', 'slurmctld')
    wait_until(lambda: cluster.slurm('scontrol', 'ping', check=False).returncode == 0, 60,
               'slurmctld is back')


def mutual_tls_and_what_wrong_certificates_lead_to(build, length, logs):
    """The right certificate enforces; without one, of another authority, expired or without
    the role, Slurm places the jobs itself and both sides say why; a replaced certificate is
    used without a restart of coolspand."""
    with Cluster(build, logs) as cluster:
        authority = Authority(cluster.scratch / 'ca')
        other = Authority(cluster.scratch / 'other-ca')
        authority.issue('ctl')
        authority.issue('slurm1')
        authority.issue('visitor')
        authority.issue('late', days=0)
        other.issue('slurm1')
        endpoint = use_tls(cluster, authority)

        # What slurmctld logs, and the client that coolspand names.
        for name, of, ca, said, named in (
                ('', authority, None, 'does coolspand expect TLS?', None),
                ('slurm1', other, authority, 'is not signed by an authority in', None),
                ('slurm1', authority, other, 'TLS handshake failed', None),
                ('late', authority, None, 'expired', None),
                ('visitor', authority, None, 'resource_manager', 'visitor')):
            before = len(cluster.log())
            refused = len(cluster.coolspand_log('refused'))
            show(cluster, endpoint, of, name, ca)
            job = cluster.start('--nodes=2')
            verdict, fields = cluster.verdicts()[job]
            expect(verdict == 'fallback', f'{name}: job {job} is {verdict}: {fields}')
            with contextlib.suppress(Exception):
                wait_until(lambda: said in cluster.log()[before:], 20, said)
            lines = [line for line in cluster.log()[before:].splitlines() if ' coolspan: ' in line]
            expect(any(said in line for line in lines), f'{name or "none"}: no {said!r}: {lines}')
            if named:
                whys = str(cluster.coolspand_log('refused')[refused:])
                expect(named in whys, f'{name}: coolspand logged {whys}')
            cluster.slurm('scancel', job)

        with LedgerWatch(cluster, 4) as watch:
            show(cluster, endpoint, authority, 'slurm1')
            wait_until(lambda: cluster.ledger() is not None and
                       cluster.held() == cluster.queue(), 60, 'the first Sync')
            cluster.expect_enforced(cluster.start('--nodes=2'))
            # Both certificates are replaced; new connections use them.
            authority.issue('ctl')
            authority.issue('slurm1')
            cluster.mini('restart', 'slurmctld')
            wait_until(lambda: cluster.held() == cluster.queue(), 60, 'Sync after the restart')
            cluster.expect_enforced(cluster.start('--nodes=2'))
            cluster.wait_agreement()
        watch.expect_sound()
    return None


TESTS = [mutual_tls_and_what_wrong_certificates_lead_to]

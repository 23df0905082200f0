#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""monitoring_test.py BIN_DIR SOURCE_DIR: the metrics, alert rules and dashboard
against Debian's Prometheus.

A coolspand with a room, with jobs of `coolspan load`, is scraped by a Prometheus,
both on loopback. Every metric that rules and dashboard name is in the table of
docs/monitoring.md and was scraped; every expression is evaluated; promtool
accepts metrics, configuration and rules, and runs the unit tests of the rules.
Exit 77 without Prometheus."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

MACHINE = '''name: room
topology: {kind: blocks, slurm_topology: topology.conf}
node_types: [{name: std, nodes: "n[01-16]", idle_w: 100, compute_w: 300, communicate_w: 250}]
thermal:
  heat_distribution: D.txt
  airflow_w_per_k: 500
  supply_c: 15
  redline_c: 30
  cop: [0.0068, 0.0008, 0.458]
'''
BLOCKS = 'BlockName=a Nodes=n[01-08]\nBlockName=b Nodes=n[09-16]\n'
# Reported by the client in slurmctld, or absent until a sensor was read.
NOT_OF_LOAD = re.compile(r'coolspan_client_|coolspan_sensor_(newest|oldest)_age|coolspan_job_reasons'
                         r'|coolspan_cluster_contact_age')
WAIT_S = 60


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def wait_for(what, check):
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f'{what}: not within {WAIT_S} s')


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def start_daemon(binaries, folder):
    rows = [' '.join('0.002' if i == j else '0' for j in range(16)) for i in range(16)]
    (folder / 'D.txt').write_text('\n'.join(rows) + '\n')
    (folder / 'machine.yaml').write_text(MACHINE)
    (folder / 'topology.conf').write_text(BLOCKS)
    (folder / 'd.yaml').write_text('machine: machine.yaml\nlisten: unix://' + str(folder / 's.sock') +
                                   '\npolicy: best-fit\nstate: {sqlite: state.db}\nlog: {file: log.txt}\n'
                                   'http: {listen: "127.0.0.1:0"}\n')
    daemon = subprocess.Popen([binaries / 'coolspand', '--config', folder / 'd.yaml'])

    def address():
        assert daemon.poll() is None, 'coolspand has ended'
        log = folder / 'log.txt'
        lines = log.read_text().splitlines() if log.exists() else []
        return next((json.loads(line)['http'] for line in lines if '"event":"start"' in line), None)
    return daemon, wait_for('start of coolspand', address)


def start_prometheus(source, folder, target):
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        listen = '127.0.0.1:%d' % free.getsockname()[1]
    shutil.copy(source / 'deploy/prometheus/coolspan-rules.yml', folder)
    scrape = (source / 'deploy/prometheus/coolspan-scrape.yml').read_text()
    assert '127.0.0.1:9643' in scrape and 'scrape_interval: 15s' in scrape
    (folder / 'prometheus.yml').write_text(
        'global: {evaluation_interval: 1s}\nrule_files: [coolspan-rules.yml]\n' +
        scrape.replace('127.0.0.1:9643', target).replace('scrape_interval: 15s', 'scrape_interval: 1s'))
    run('promtool', 'check', 'config', folder / 'prometheus.yml')
    log = open(folder / 'prometheus.log', 'w', encoding='utf-8')
    process = subprocess.Popen(['prometheus', f'--config.file={folder}/prometheus.yml',
                                f'--storage.tsdb.path={folder}/tsdb', f'--web.listen-address={listen}',
                                '--log.level=warn'], stdout=log, stderr=log)
    return process, f'http://{listen}/api/v1'


def call(api, path, **parameters):
    for attempt in range(60):
        try:
            answer = json.loads(get(f'{api}/{path}?' + urllib.parse.urlencode(parameters)))
            break
        except urllib.error.HTTPError as error:
            # While it starts, Prometheus answers 503.
            if error.code != 503 or attempt == 59:
                raise AssertionError(f'{parameters}: {error.read().decode()}') from error
            time.sleep(0.5)
    assert answer['status'] == 'success', answer
    return answer['data']


def dashboard_expressions(source):
    dashboard = json.loads((source / 'deploy/grafana/coolspan.json').read_text())
    panels = dashboard['panels']
    ids = [panel['id'] for panel in panels]
    assert len(set(ids)) == len(ids) and len(ids) > 20, ids
    cells = set()
    for panel in panels:
        place = panel['gridPos']
        assert place['x'] + place['w'] <= 24, panel['title']
        for cell in ((x, y) for x in range(place['x'], place['x'] + place['w'])
                     for y in range(place['y'], place['y'] + place['h'])):
            assert cell not in cells, f'{panel["title"]} overlaps another panel'
            cells.add(cell)
    texts = [target['expr'] for panel in panels for target in panel.get('targets', [])]
    texts += [note['expr'] for note in dashboard['annotations']['list']]
    variables = {variable['name'] for variable in dashboard['templating']['list']}
    expressions = []
    for text in texts:
        for name in re.findall(r'\$(\w+)', text):
            assert name in variables | {'__rate_interval'}, f'{text}: unknown variable {name}'
        expressions.append(re.sub(r'\$\w+', '.*', text.replace('$__rate_interval', '1m')))
    queries = [variable['definition'] for variable in dashboard['templating']['list'] if 'definition' in variable]
    return expressions, [re.match(r'label_values\((\w+), \w+\)$', query).group(1) for query in queries]


def documented_metrics(source):
    rows = re.findall(r'^\| `(\w+)` \| (\w+) \|', (source / 'docs/monitoring.md').read_text(), re.M)
    assert len(rows) > 40, rows
    return dict(rows)


def metrics_of(expression, documented):
    """Names of metrics, without the endings of histograms and summaries."""
    found = set()
    for name in re.findall(r'\b(?:coolspan|process)_\w+', re.sub(r'"[^"]*"', '', expression)):
        base = re.sub(r'_(bucket|sum|count)$', '', name)
        is_part = documented.get(base) in ('histogram', 'summary') and base != name
        found.add(base if is_part else name)
    return found


def check_rules(source, folder):
    rules = source / 'deploy/prometheus/coolspan-rules.yml'
    run('promtool', 'check', 'rules', rules)
    cases = (source / 'tests/integration/coolspan_rules_test.yml').read_text()
    (folder / 'cases.yml').write_text(cases)
    shutil.copy(rules, folder)
    run('promtool', 'test', 'rules', folder / 'cases.yml')
    alerts = re.findall(r'- alert: (\w+)', rules.read_text())
    assert len(set(alerts)) == len(alerts) > 15, alerts
    page = (source / 'docs/monitoring.md').read_text()
    for alert in alerts:
        assert f'alertname="{alert}"' in cases, f'{alert} has no unit test'
        assert f'| {alert} |' in page, f'{alert} is not in docs/monitoring.md'
    # The unit tests notice an alert that never fires.
    (folder / 'coolspan-rules.yml').write_text(rules.read_text().replace('coolspan_ready == 0', 'coolspan_ready == 2'))
    broken = subprocess.run(['promtool', 'test', 'rules', str(folder / 'cases.yml')], capture_output=True, check=False)
    assert broken.returncode != 0


def check_scraped(source, api, documented):
    expressions, variables = dashboard_expressions(source)
    names = set(call(api, 'label/__name__/values'))
    scraped = {name for name in documented if {name, name + '_count'} & names}
    missing = {name for name in documented if not NOT_OF_LOAD.match(name)} - scraped
    assert not missing, f'not scraped: {missing}'

    groups = wait_for('evaluation of the rules', lambda: [
        group for group in call(api, 'rules')['groups'] if all(rule['health'] != 'unknown' for rule in group['rules'])])
    rules = [rule for group in groups for rule in group['rules']]
    for rule in rules:
        assert rule['health'] == 'ok' and not rule.get('lastError'), rule
    for expression in expressions + [rule['query'] for rule in rules]:
        unknown = metrics_of(expression, documented) - set(documented)
        assert not unknown, f'{expression}: no such metric: {unknown}'
        call(api, 'query', query=expression)
    assert set(variables) <= set(documented)
    used = set().union(*(metrics_of(expression, documented) for expression in expressions))
    unused = set(documented) - used
    assert not unused, f'not on the dashboard: {unused}'
    decisions = call(api, 'query', query='sum(coolspan_decisions_total)')['result'][0]['value'][1]
    assert int(decisions) >= 50, decisions
    firing = call(api, 'query', query='ALERTS{alertstate="firing"}')['result']
    assert not firing, firing


def main():
    binaries, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not shutil.which('prometheus') or not shutil.which('promtool'):
        print('Prometheus is not installed (./deploy/install-deps test)')
        sys.exit(77)
    documented = documented_metrics(source)
    started = []
    with tempfile.TemporaryDirectory(prefix='coolspan-monitoring-') as name:
        folder = pathlib.Path(name)
        check_rules(source, folder)
        try:
            daemon, address = start_daemon(binaries, folder)
            started.append(daemon)
            prometheus, api = start_prometheus(source, folder, address)
            started.append(prometheus)

            def is_scraped():
                assert prometheus.poll() is None, (folder / 'prometheus.log').read_text()
                try:
                    return call(api, 'query', query='coolspan_ready == 1')['result']
                except urllib.error.URLError:
                    return None
            wait_for('first scrape', is_scraped)
            # The cluster of `coolspan load` may go with it.
            load = subprocess.Popen([binaries / 'coolspan', 'load', '--endpoint', f'unix://{folder}/s.sock',
                                     '--machine', folder / 'machine.yaml', '--jobs', '1000000', '--max-time', '3',
                                     '--concurrency', '2', '--nodes', '2'], stdout=subprocess.DEVNULL)
            started.append(load)
            wait_for('scrape of the load', lambda: call(
                api, 'query', query='sum(coolspan_events_total{event="commit"}) > 0')['result'])
            run('promtool', 'check', 'metrics', input=get(f'http://{address}/metrics'))
            assert load.wait(WAIT_S) == 0
            assert get(f'http://{address}/healthz') == 'ok\n'
            assert get(f'http://{address}/readyz') == 'ok\n'
            check_scraped(source, api, documented)
        finally:
            for process in started:
                process.terminate()
                process.wait()


if __name__ == '__main__':
    main()

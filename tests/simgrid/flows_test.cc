// SPDX-License-Identifier: GPL-3.0-or-later
// The shares of links against the rates of SimGrid's model of flows, without
// its corrections for protocols: no factor of the bandwidth, no latency, no
// window, no traffic of acknowledgements.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "topology/link_shares.h"
#include "topology/routes.h"

namespace coolspan {
namespace {

namespace sg4 = simgrid::s4u;

// Flows of one rate limit on links of their own.
struct FlowSet {
  std::vector<double> capacities;          // bytes a second
  std::vector<std::vector<LinkId>> flows;  // the links of each
  double max_rate = 0;
};

constexpr double kScale = 1e6;

FlowSet RandomFlows(std::mt19937& random) {
  FlowSet set;
  set.capacities.resize(2 + random() % 6);
  for (double& capacity : set.capacities) {
    capacity = kScale * static_cast<double>(1 + random() % 9);
  }
  set.flows.resize(2 + random() % 8);
  for (auto& links : set.flows) {
    for (LinkId link = 0; link < set.capacities.size(); ++link) {
      if (random() % 3 == 0) links.push_back(link);
    }
    if (links.empty()) {
      links.push_back(static_cast<LinkId>(random() % set.capacities.size()));
    }
  }
  set.max_rate = kScale * static_cast<double>(1 + random() % 4);
  return set;
}

// Between random nodes of a mesh, over its routes.
FlowSet MeshFlows(std::mt19937& random) {
  const auto machine = MeshMachine(FlatGrid({4, 4}));
  const auto routes = MakeRoutes(machine->topology(), {}).value();
  FlowSet set;
  set.capacities.assign(routes->link_count(), kScale);
  set.max_rate = kScale;
  for (int i = 0; i < 24; ++i) {
    const auto from = static_cast<VertexId>(random() % 16);
    const VertexId to = (from + 1 + static_cast<VertexId>(random() % 15)) % 16;
    LinkLoads loads(routes->link_count());
    routes->AddRoute(from, to, 1, loads);
    auto& links = set.flows.emplace_back();
    for (const auto& [link, load] : loads.Take()) links.push_back(link);
  }
  return set;
}

std::vector<double> RatesOfShares(const FlowSet& set) {
  LinkShares shares(set.capacities);
  std::vector<LinkShares::User> users;
  for (const auto& links : set.flows) {
    std::vector<LinkLoad> loads;
    for (const LinkId link : links) loads.push_back({link, set.max_rate});
    users.push_back(shares.Add(std::move(loads)));
  }
  shares.Update();
  std::vector<double> rates;
  for (const auto user : users) {
    rates.push_back(set.max_rate * shares.ShareOf(user));
  }
  return rates;
}

// All sets at once on one platform: a process can have one only.
class SimGrid {
 public:
  explicit SimGrid(int* argc, char** argv) : engine_(argc, argv) {
    for (const char* setting :
         {"network/model:CM02", "network/bandwidth-factor:1",
          "network/latency-factor:1", "network/weight-S:0",
          "network/TCP-gamma:0", "network/crosstraffic:0",
          "network/optim:Full"}) {
      sg4::Engine::set_config(setting);
    }
    zone_ = sg4::create_full_zone("zone");
  }

  void Add(const FlowSet& set) {
    const std::string name = "s" + std::to_string(sets_++) + "-";
    std::vector<sg4::LinkInRoute> links;
    for (std::size_t i = 0; i < set.capacities.size(); ++i) {
      links.emplace_back(
          zone_->create_link(name + "l" + std::to_string(i), set.capacities[i])
              ->set_latency(0)
              ->seal());
    }
    for (const auto& route : set.flows) {
      const std::string flow = name + "f" + std::to_string(flows_.size());
      sg4::Host* const from = zone_->create_host(flow + "-from", 1e9)->seal();
      sg4::Host* const to = zone_->create_host(flow + "-to", 1e9)->seal();
      // The rate limit is a link of its own.
      std::vector<sg4::LinkInRoute> along;
      along.emplace_back(zone_->create_link(flow + "-limit", set.max_rate)
                             ->set_latency(0)
                             ->seal());
      for (const LinkId link : route) along.push_back(links[link]);
      zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr,
                       nullptr, along, false);
      flows_.push_back({from, to});
    }
  }

  // Bytes a second of each flow in the first second of many.
  std::vector<double> Rates() {
    zone_->seal();
    std::vector<double> rates;
    sg4::Actor::create("meter", flows_.front().from, [&] {
      constexpr double kBytes = 1e12;
      std::vector<sg4::CommPtr> comms;
      for (const Flow& flow : flows_) {
        comms.push_back(sg4::Comm::sendto_init(flow.from, flow.to));
        comms.back()->set_payload_size(static_cast<std::uint64_t>(kBytes));
        comms.back()->vetoable_start();
      }
      sg4::this_actor::sleep_for(1);
      for (const auto& comm : comms) {
        rates.push_back(kBytes - comm->get_remaining());
      }
      for (const auto& comm : comms) comm->cancel();
    });
    engine_.run();
    return rates;
  }

 private:
  struct Flow {
    sg4::Host* from;
    sg4::Host* to;
  };
  sg4::Engine engine_;
  sg4::NetZone* zone_ = nullptr;
  std::vector<Flow> flows_;
  int sets_ = 0;
};

TEST(SimGridTest, FlowsHaveTheSameRates) {
  std::mt19937 random(1);
  std::vector<FlowSet> sets;
  for (int i = 0; i < 40; ++i) sets.push_back(RandomFlows(random));
  for (int i = 0; i < 4; ++i) sets.push_back(MeshFlows(random));
  int argc = 1;
  std::string name = "simgrid_tests";
  std::vector<char*> argv = {name.data(), nullptr};
  SimGrid simgrid(&argc, argv.data());
  std::vector<double> expected;
  for (const FlowSet& set : sets) {
    simgrid.Add(set);
    for (const double rate : RatesOfShares(set)) expected.push_back(rate);
  }
  const std::vector<double> rates = simgrid.Rates();
  ASSERT_EQ(rates.size(), expected.size());
  int limited = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    // SimGrid's precision is 1e-5 of a rate; remaining bytes are rounded.
    EXPECT_NEAR(rates[i] / expected[i], 1, 1e-4) << i;
    if (expected[i] < kScale * 0.999) ++limited;
  }
  EXPECT_GT(limited, 20) << "too few flows share links";
}

}  // namespace
}  // namespace coolspan

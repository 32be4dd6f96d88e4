// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// A page for searches. One thread, few connections at once, a request of at most 8 KiB that must come within five
// seconds; every answer closes its connection. Only GET of / and /search is answered, and only where the Host is ours:
// a page of a stranger cannot read what lies here by a name that leads to this machine.

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "require.h"
#include "retrieve.h"

namespace bochner {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRequest = 8 << 10, kMostConnections = 64;
constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kRest = std::chrono::milliseconds(200);  // wait when no descriptor is free

class Server {
 public:
  Server(const Retrieval& documents, const ServeOptions& options) : documents_(documents), options_(options) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::uint16_t(options.port));
    require(::inet_pton(AF_INET, options.host.c_str(), &address.sin_addr) == 1,
            "--host: found {}, expected an address such as 127.0.0.1", options.host);
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    if (listening_ >= 0) ::setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (listening_ < 0 || ::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(listening_, 16) != 0)
      fail(Error::Kind::io, "--serve: {}:{} cannot be listened at: {}; choose another port", options.host, options.port,
           std::strerror(errno));
    socklen_t size = sizeof(address);
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Server() {
    for (const Connection& each : connections_) ::close(each.socket);
    if (listening_ >= 0) ::close(listening_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }

  // One look at all connections.
  void turn() {
    const bool welcome = connections_.size() < kMostConnections && Clock::now() >= rested_;
    std::vector<pollfd> waits{{listening_, short(welcome ? POLLIN : 0), 0}};
    for (const Connection& each : connections_)
      waits.push_back({each.socket, short(each.out.empty() ? POLLIN : POLLOUT), 0});
    ::poll(waits.data(), waits.size(), int(kRest.count()));
    for (std::size_t i = 0; i < connections_.size(); ++i)
      if (waits[i + 1].revents) step(connections_[i]);
    const Clock::time_point now = Clock::now();
    std::erase_if(connections_, [&](const Connection& each) {
      if (!each.done && now < each.until) return false;
      ::close(each.socket);
      return true;
    });
    if (waits[0].revents & POLLIN) {
      const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (socket >= 0)
        connections_.push_back({.socket = socket, .until = now + kPatience});
      else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        rested_ = now + kRest;  // whoever waits would be announced again at once
    }
  }

 private:
  struct Connection {
    int socket = -1;
    std::string in = {}, out = {};
    std::size_t sent = 0;
    bool done = false;
    Clock::time_point until = {};
  };

  void step(Connection& each) {
    if (each.out.empty()) {
      char piece[4096];
      const ssize_t got = ::recv(each.socket, piece, sizeof(piece), 0);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      each.done = got <= 0;
      if (got <= 0) return;
      each.in.append(piece, std::size_t(got));
      const std::size_t end = each.in.find("\r\n\r\n");
      if (end != each.in.npos && end <= kMostRequest)
        each.out = answer_request(std::string_view(each.in).substr(0, end + 2), documents_,
                                  {options_.host, port_, options_.k});
      else if (each.in.size() > kMostRequest)
        each.out = refusal(431, "Request Header Fields Too Large");
      return;
    }
    const ssize_t sent = ::send(each.socket, each.out.data() + each.sent, each.out.size() - each.sent, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    each.sent += sent > 0 ? std::size_t(sent) : 0;
    each.done = sent < 0 || each.sent == each.out.size();
  }

  const Retrieval& documents_;
  ServeOptions options_;
  int listening_ = -1, port_ = 0;
  Clock::time_point rested_ = {};  // when connections are taken again
  std::vector<Connection> connections_;
};

}  // namespace

void serve(const Retrieval& documents, const ServeOptions& options, Messages& messages) {
  Server server(documents, options);
  messages.say(
      fmt::format("{} documents at http://{}:{}/ until Ctrl-C", documents.documents(), options.host, server.port()));
  for (;;) server.turn();
}

}  // namespace bochner

# brew install --HEAD ./packaging/homebrew/bochner.rb from a checkout; `url` and `sha256` come with a release.
class Bochner < Formula
  desc "Kernel machines in linear time"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "fmt"
  depends_on "highway"
  depends_on "openblas"
  depends_on "xz"
  depends_on "zstd"
  uses_from_macos "zlib"

  def install
    args = %w[-DBUILD_SHARED_LIBS=ON -DBOCHNER_TESTS=OFF -DBOCHNER_BENCH=OFF]
    system "cmake", "-S", ".", "-B", "brew", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "brew"
    system "cmake", "--install", "brew"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/bochner --version") unless head?
    system bin/"bochner", "dims", "--epsilon", "0.1", "--delta", "0.01"
  end
end
